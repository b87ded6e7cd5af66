"""The contents of the files of a call, read from the blobs when the request is made."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

from temporalio.exceptions import ApplicationError

from activities.providers.request import Files
from protocols.model_call import ModelCall

ReadBlob = Callable[[str], bytes]
"""Returns the content of a blob.

Raises:
    LookupError: it is not there or is damaged; the message says what to restore.
"""

MISSING = "attachment.missing"
"""The blob of an attached file cannot be read; the call waits until it can."""

_PAUSE = timedelta(seconds=30)


async def read_files(call: ModelCall, read: ReadBlob | None) -> Files:
    """Return by blob what is sent of the files of ``call``.

    Raises:
        ApplicationError: one cannot be read now; the call is tried again until it can, and nothing is paid before.
    """
    blobs = dict.fromkeys(one.blob for message in call.messages for one in message.attachments)
    if not blobs:
        return {}
    if read is None:
        raise ApplicationError("this worker was made without access to the blobs", type=MISSING, non_retryable=True)
    try:
        return {blob: await asyncio.to_thread(read, blob) for blob in blobs}
    except LookupError as error:
        raise ApplicationError(str(error), type=MISSING, next_retry_delay=_PAUSE) from None
