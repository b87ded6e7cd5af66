"""Checks of the words in names, docstrings, comments, help texts and messages.

``python -m tests.repository.prose starter workflows/batch.py`` lists the complaints below the given places, by default
below all packages.
"""

import ast
import re
import sys
import tokenize
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from io import StringIO
from pathlib import Path
from typing import Any

from tests.repository.sources import PACKAGES, ROOT, listed, modules, nodes, shown

NAMES = """
    house room rooms drawer drawers door doors doorkeeper corridor purse purser dice books asks asking heard hears
    hearing obey obeyed told tell tells say says saying begun foreseen foresee standstill manner manners heritage
    wish errand doers spoken moments beating conduct seating
"""
"""Words that are part of no file, class, function, field, constant, parameter or variable."""

PHRASES = r"""
    whoever | whatever | nobody | somebody | anybody | everybody | someone | anyone
    | what[ ]there[ ]is | with[ ]what[ ]is[ ]there | in[ ]words[ ]of[ ]its[ ]own | a[ ]word[ ]of[ ]its[ ]own
    | (?:the|this|that|every|one|a|its|no)[ ](?:house|room|floor|drawer|door|corridor|purse|book)
    | books | purse | dice | drawers? | corridor | doorkeeper
    | (?<!to[ ])(?:hears?|heard|obeys?|obeyed|told|tells)
    | (?:it|which|that|who|they|machine|ledger|server|file)[ ]says?
    | was[ ]said | is[ ]said | be[ ]said | said[ ]so | what[ ]\w+[ ]says? | they[ ]say
    | (?:models?|they|speakers?|to)[ ]better | betters | bettered
    | (?:is|are|was|were|been|be)[ ]held | holds?[ ](?:a|one|the)[ ](?:round|council|debate|circle|deliberation|row)
    | stands?[ ](?:in|at|where|behind|beside|under|for|alone) | standing[ ]in
    | comes?[ ](?:to[ ]an[ ]end|of[ ]it|out[ ]of) | came[ ](?:of|to) | come[ ]to
    | (?:left|put)[ ]right | for[ ]good | at[ ]all | of[ ]its[ ]own | on[ ]its[ ]own
"""
"""Turns of phrase that no first line has: metaphors, persons without a name, machines that speak."""

SENTENCES = r"""
    whoever | nobody | somebody | anybody | everybody | someone | anyone | what[ ]there[ ]is
    | (?:the|this|that|every|one|a|its|no)[ ](?:house|room|floor|drawer|door|corridor|purse|books) | house[ ]rules
    | stands? | stood | hears? | heard | obeys? | obeyed | told | tells | begun | foreseen | foresee | dealt
    | (?:it|which|that|who|they|machine|server|ledger|file|line|model|provider|table|row)[ ]says?
    | was[ ]said | is[ ]said | be[ ]said | said[ ]so | what[ ]\w+[ ]says? | a[ ]person | persons
    | comes?[ ]to(?![ ]be) | came[ ](?:to|of|back|out) | what[ ]came | what[ ]became | becomes?[ ]of
    | (?:is|are|was|were|been|be)[ ]held | holds?[ ]a[ ](?:round|council|debate|circle|deliberation|row)
    | goes[ ]on | go[ ]on | went[ ]on | is[ ]over | the[ ]one[ ]who | those[ ]who
"""
"""Turns of phrase that no docstring and no comment has, in any of its sentences."""

VERBS = """
    Abandon Abbreviate Abort Accept Acquire Activate Adapt Add Adjust Advance Aggregate Align Allocate Allow
    Annotate Answer Append Apply Approve Archive Arrange Ask Assemble Assert Assign Attach Await Backfill Begin Bind
    Block Break Buffer Build Bump Bundle Cache Calculate Call Cancel Cap Capture Cast Categorise Change Check Choose
    Claim Clamp Classify Clean Clear Clip Close Coerce Collapse Collect Combine Commit Compare Complete Compose
    Compress Compute Concatenate Conclude Configure Confirm Connect Construct Consume Continue Convert Copy Correct
    Count Create Cut Deactivate Decide Declare Decline Decode Decompress Decrypt Deduplicate Defer Define Delay
    Delete Deliver Derive Describe Deserialise Detach Detect Determine Disable Discard Disconnect Dispatch Display
    Distribute Divide Download Draw Drop Dump Echo Edit Embed Emit Enable Encode Encrypt End Ensure Enter Enumerate
    Erase Escape Estimate Evaluate Exclude Execute Exit Expand Expect Explain Export Expose Extend Extract Fail
    Fetch Fill Filter Find Finish Fit Fix Flag Flatten Flush Fold Follow Forget Format Forward Freeze Generate Get
    Give Grant Group Guard Handle Hash Hide Highlight Identify Ignore Import Include Increment Indent Index Infer
    Inform Initialise Insert Inspect Install Instruct Interpret Interrupt Intersect Invalidate Invoke Issue Iterate
    Join Judge Keep Kill Label Launch Leave Limit Link List Listen Load Locate Lock Log Look Lower Make Map Mark
    Mask Match Measure Merge Migrate Mount Move Name Normalise Note Notify Number Observe Obtain Omit Open Order
    Override Pack Pad Pair Parse Partition Pass Patch Pause Pay Perform Persist Pick Place Plan Play Plot Poll Pop
    Post Prefer Prefix Prepare Prepend Present Preserve Prevent Price Print Probe Process Produce Propagate Propose
    Protect Provide Prune Publish Pull Purge Push Put Query Queue Quote Raise Rank Rate Read Rebuild Receive
    Recognise Recompute Reconnect Record Recover Redact Redirect Reduce Refresh Refuse Register Reject Release
    Reload Remember Remove Rename Render Renew Reorder Repair Repeat Replace Replay Reply Report Request Require
    Reserve Reset Resize Resolve Respond Restart Restore Restrict Resume Retrieve Retry Return Reuse Reverse Revoke
    Rewind Rewrite Roll Rotate Round Route Run Sample Sanitise Save Scale Scan Schedule Score Search Seed Select
    Send Separate Serialise Serve Set Settle Shorten Show Shuffle Shut Signal Simulate Skip Sleep Sort Specify Split
    Stage Start Stop Store Stream Strip Submit Subscribe Substitute Subtract Sum Summarise Supply Suppress Suspend
    Swap Switch Synthesise Tabulate Tag Take Terminate Test Think Throttle Throw Time Toggle Tokenise Touch Trace
    Track Transfer Transform Translate Traverse Trigger Trim Truncate Try Turn Undo Unescape Unlink Unlock Unpack
    Unregister Unwrap Update Upgrade Upload Use Validate Verify View Visit Wait Walk Warn Watch Weigh Withdraw
    Withhold Wrap Write Yield
"""
"""The verbs with which the first line of a function's docstring begins. Add one that is missing; none about talking."""

NOT_A_NOUN = """
    what who whose whom which where when why how whether that whoever whatever there it they these those this if in on
    by to for from under of at as until with without about so not no nothing something somebody nobody everything
    everybody everyone is are does do takes makes reads shows says tells decides stands notices decodes runs keeps
    returns gives going
"""
"""Words with which no first line of a class or module begins: it is a noun phrase."""

_NAMES, _NOT_A_NOUN = frozenset(NAMES.split()), frozenset(NOT_A_NOUN.split())
_VERBS = frozenset(VERBS.split())
_PHRASE = re.compile(rf"\b(?:{PHRASES})\b", re.IGNORECASE | re.VERBOSE)
_SENTENCE = re.compile(rf"\b(?:{SENTENCES})\b", re.IGNORECASE | re.VERBOSE)
_QUOTED = re.compile(r"``.*?``|`.*?`|\"[^\"]*\"", re.DOTALL)
_RELATIVE = re.compile(r"\b(?:which|who|whose|whom|that|where|what)\b", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_HELP = {"help", "description", "short_help"}
_EVENT = re.compile(r"[a-z]+(?:_[a-z]+){2,}")
_PATTERN = re.compile(r"\\[bswdSWD]|\(\?")
_FEWEST_WORDS = 3
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_NAMING = {ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Name, ast.arg, ast.Attribute}
_TEXTUAL = {ast.JoinedStr, ast.keyword, ast.Constant}

FOR_MODELS = re.compile(r"/prompts|/reply_objects|^protocols/(?:attachments|instructions|material)\.py|^rehearsal/")
"""Files whose texts are sent to models, or are scripted replies of models."""


def complaints(*places: str) -> list[str]:
    """Return what is wrong in the Python files below ``places``, of all packages by default."""
    return [one for path in modules(*(places or PACKAGES)) for one in complaints_of(path, path.read_text("utf-8"))]


def complaints_of(path: Path, source: str) -> list[str]:
    """Return what is wrong with the names, docstrings, comments, help texts and messages of one file.

    The descriptions of fields in a protocol are no help texts: they are sent to models, as its prompts are.
    """
    tree, is_protocol = ast.parse(source), shown(path).startswith("protocols/")
    found = [f"{shown(path)}:1 name of the file: {word}" for word in banned_in(path.stem)]
    found += [f"{shown(path)}:{line} name {name}: {word}" for line, name in names(tree) for word in banned_in(name)]
    for line, kind, text in texts(tree):
        if not (kind == "help" and is_protocol):
            found += [f"{shown(path)}:{line} {wrong}: {text}" for wrong in wrong_with(kind, text)]
    said = () if FOR_MODELS.search(shown(path)) else messages(tree)
    for line, text in (*docstrings(tree), *comments(source), *said):
        found += [
            f"{shown(path)}:{line} '{one}'" for one in _SENTENCE.findall(_QUOTED.sub("x", " ".join(text.split())))
        ]
    return found


def complaints_of_test(path: Path) -> list[str]:
    """Return the banned words in the names of a file's tests, and the banned phrases in its docstrings and comments."""
    source = path.read_text("utf-8")
    tree = ast.parse(source)
    found = [
        f"{shown(path)}:{line} name {name}: {word}"
        for line, name in names(tree)
        if name.startswith("test_")
        for word in banned_in(name)
    ]
    for line, text in (*docstrings(tree), *comments(source)):
        phrases = [] if "noqa" in text else _SENTENCE.findall(_QUOTED.sub("x", " ".join(text.split())))
        found += [f"{shown(path)}:{line} '{one}'" for one in phrases]
    return found


@cache
def banned_in(name: str) -> list[str]:
    """Return the banned words in one name, in snake_case or CamelCase."""
    return [word for word in map(str.lower, _WORD.findall(name)) if word in _NAMES]


@lru_cache(maxsize=1)
def walked(tree: ast.Module) -> Sequence[ast.AST]:
    """Return the nodes of a file, which every check reads anew."""
    return nodes(tree)


def names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield each name that the file defines: classes, functions, fields, constants, parameters and variables."""
    for node in (one for one in walked(tree) if type(one) in _NAMING):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield node.lineno, name
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case _:
                continue


def texts(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Yield line, kind (function, noun or help) and text of each first line and help text in the file."""
    for node in walked(tree):
        if isinstance(node, _DOCUMENTED):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "lineno", 1), _kind(node), text.splitlines()[0]
        if isinstance(node, ast.keyword) and node.arg in _HELP and isinstance(node.value, ast.Constant):
            yield node.value.lineno, "help", str(node.value.value)


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and text of each docstring, those of fields and constants included."""
    return ((line, str(one.value.value)) for line, one in _docstring_nodes(tree))


def messages(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and text of each string of three words that is no docstring, and of each name of a log event.

    Any of them may reach a screen: refusals, notices, headings, help. What an f-string inserts is not read, and neither
    is a pattern, or the description of a field, which is sent to models.
    """
    ignored = {id(one.value) for _, one in _docstring_nodes(tree)}
    for node in (one for one in walked(tree) if type(one) in _TEXTUAL):
        match node:
            case ast.JoinedStr(values=values):
                ignored |= {id(value) for value in values}
                text = "".join(str(value.value) if isinstance(value, ast.Constant) else "x" for value in values)
            case ast.keyword(arg="description", value=value):
                ignored.add(id(value))
                continue
            case ast.Constant(value=str(text)) if id(node) not in ignored:
                pass
            case _:
                continue
        words = text.replace("_", " ") if _EVENT.fullmatch(text) else text
        if len(words.split()) >= _FEWEST_WORDS and not _PATTERN.search(words):
            yield node.lineno, words


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each comment; most files have none, and reading their tokens takes long."""
    if "#" not in source:
        return iter(())
    tokens = tokenize.generate_tokens(StringIO(source).readline)
    return ((one.start[0], one.string) for one in tokens if one.type == tokenize.COMMENT)


def wrong_with(kind: str, text: str) -> Iterator[str]:
    """Yield what is wrong with one first line or help text."""
    plain = _QUOTED.sub("x", text)
    if found := _PHRASE.search(plain):
        yield f"'{found[0]}'"
    first = text.split(maxsplit=1)[0].rstrip(".,:;") if text.split() else ""
    if kind == "function" and first not in _VERBS:
        yield f"'{first}' is no verb of tests/repository/prose.py"
    if kind == "noun" and first.lower() in _NOT_A_NOUN:
        yield f"'{first}' begins no noun phrase"
    if kind != "help" and len(_RELATIVE.findall(plain)) > 1:
        yield "more than one relative clause"


@lru_cache(maxsize=1)
def _docstring_nodes(tree: ast.Module) -> Sequence[tuple[int, Any]]:
    bodies = [node.body for node in walked(tree) if "body" in node._fields]  # type: ignore[attr-defined]  # they have one
    return [
        (one.lineno, one)
        for body in bodies
        for one in (body if isinstance(body, list) else ())  # a lambda's is an expression
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str)
    ]


def _kind(node: ast.AST) -> str:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return "noun"
    return "noun" if any("property" in ast.unparse(one) for one in node.decorator_list) else "function"


if __name__ == "__main__":
    found = complaints(*(str(Path(one).resolve().relative_to(ROOT)) for one in sys.argv[1:]))
    sys.stdout.write(f"{listed(found).strip()}\n{len(found)} complaints\n")
