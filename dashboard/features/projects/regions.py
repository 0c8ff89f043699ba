"""Names of the regions a project can live in. The list is open: a code without a name here is shown as it is."""

NAMES = {
    "us-east-1": "East US (North Virginia)",
    "us-east-2": "East US (Ohio)",
    "us-west-1": "West US (North California)",
    "us-west-2": "West US (Oregon)",
    "ca-central-1": "Canada (Central)",
    "sa-east-1": "South America (São Paulo)",
    "eu-west-1": "West EU (Ireland)",
    "eu-west-2": "West Europe (London)",
    "eu-west-3": "West EU (Paris)",
    "eu-central-1": "Central EU (Frankfurt)",
    "eu-central-2": "Central Europe (Zurich)",
    "eu-north-1": "North EU (Stockholm)",
    "ap-south-1": "South Asia (Mumbai)",
    "ap-southeast-1": "Southeast Asia (Singapore)",
    "ap-southeast-2": "Oceania (Sydney)",
    "ap-northeast-1": "Northeast Asia (Tokyo)",
    "ap-northeast-2": "Northeast Asia (Seoul)",
    "ap-east-1": "East Asia (Hong Kong)",
}


def region_name(code: str) -> str:
    """The name of a region in words, or an empty text for a code that has none here."""
    return NAMES.get(code, "")
