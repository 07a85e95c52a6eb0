"""Why a TLS connection was not made: no interception looks like an outage."""

from __future__ import annotations

import ssl
from typing import Final

from elicit_tui.errors import causes_of

_NOT_TRUSTED: Final = {
    9: "its certificate is not valid yet, by this machine's clock",
    10: "its certificate has expired",
    23: "its certificate was revoked",
    62: "its certificate is for another name",
    64: "its certificate is for another address",
}
"""By OpenSSL's number of why it does not trust a certificate (X509_V_ERR_…)."""


def tls_reason(error: BaseException) -> str | None:
    """Why a TLS connection could not be trusted or made, as the end of a sentence.

    Looks at `error` and at what caused it; None when that was not the trouble.
    """
    for cause in causes_of(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            untrusted = "its certificate is of no authority that this machine trusts"
            reason = _NOT_TRUSTED.get(cause.verify_code, untrusted)
            return f"{reason}; somebody may stand in between"
        if isinstance(cause, ssl.SSLError):
            return "it cannot be spoken to in TLS (https); its address may want http"
    return None
