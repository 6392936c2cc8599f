"""Names of the Hermes integration."""

DOMAIN = "hermes"
CONF_URL = "url"
CONF_KEY = "key"
# Hermes itself answers within 25 seconds, if only to say that it is still working.
TIMEOUT_SECONDS = 40
