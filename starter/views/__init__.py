"""Views on a terminal: values in, renderables of ``rich`` out.

Text of users and models passes through ``protocols.visible_text`` and is never read as markup.
"""
