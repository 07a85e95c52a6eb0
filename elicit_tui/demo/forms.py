"""The forms that the demo tools ask with: every schema kind of the spec, in its spellings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]


def form(properties: Mapping[str, Schema], required: tuple[str, ...] = ()) -> dict[str, Any]:
    """A requestedSchema (spec: client/elicitation, "Requested Schema")."""
    return {"type": "object", "properties": dict(properties), "required": list(required)}


BOOKING = form(
    {
        "name": {
            "type": "string",
            "title": "Your name",
            "description": "The table waits under this name.",
            "minLength": 2,
            "maxLength": 40,
        },
        "email": {"type": "string", "title": "Email", "format": "email"},
        "date": {"type": "string", "title": "Which day", "format": "date"},
        "reminder": {
            "type": "string",
            "title": "Remind me at",
            "description": "Leave it out for no reminder.",
            "format": "date-time",
        },
        "website": {"type": "string", "title": "Your website", "format": "uri"},
        "guests": {
            "type": "integer",
            "title": "Guests",
            "minimum": 1,
            "maximum": 12,
            "default": 2,
        },
        "budget": {
            "type": "number",
            "title": "Budget for each guest",
            "description": "In euros.",
            "minimum": 10,
            "maximum": 500,
        },
        "outdoors": {
            "type": "boolean",
            "title": "Outdoors",
            "description": "Three states: yes, no, or not said.",
        },
        "newsletter": {"type": "boolean", "title": "Send me the newsletter", "default": False},
        "seat": {
            "type": "string",
            "title": "Seat",
            "oneOf": [
                {"const": "window", "title": "At the window"},
                {"const": "bar", "title": "At the bar"},
                {"const": "quiet", "title": "In the quiet corner"},
            ],
        },
        "occasion": {
            "type": "string",
            "title": "Occasion",
            "enum": ["none", "birthday", "wedding"],
            "enumNames": ["No occasion", "A birthday", "A wedding"],
            "default": "none",
        },
        "diets": {
            "type": "array",
            "title": "Diets",
            "items": {"type": "string", "enum": ["vegetarian", "vegan", "gluten-free"]},
        },
        "code": {
            "type": "string",
            "title": "Voucher",
            "description": "Two letters, a dash and four digits, such as AB-1234.",
            "pattern": "^[A-Z]{2}-[0-9]{4}$",
        },
    },
    required=("name", "date", "guests", "seat"),
)

NAMED_COLOURS = """
aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet
brown burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan
darkblue darkcyan darkgoldenrod darkgray darkgreen darkkhaki darkmagenta darkolivegreen
darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray darkturquoise
darkviolet deeppink deepskyblue dimgray dodgerblue firebrick floralwhite forestgreen fuchsia
gainsboro ghostwhite gold goldenrod gray green greenyellow honeydew hotpink indianred indigo
ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan
lightgoldenrodyellow lightgray lightgreen lightpink lightsalmon lightseagreen lightskyblue
lightslategray lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine
mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen
mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite navy
oldlace olive olivedrab orange orangered orchid palegoldenrod palegreen paleturquoise
palevioletred papayawhip peachpuff peru pink plum powderblue purple rebeccapurple red rosybrown
royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue slateblue
slategray snow springgreen steelblue tan teal thistle tomato turquoise violet wheat white
whitesmoke yellow yellowgreen
"""
"""The colours that the web has names for (CSS Color, named colors): a list to search in."""

COLOURS = form(
    {
        "favourites": {
            "type": "array",
            "title": "Favourite colours",
            "description": "One to three.",
            "minItems": 1,
            "maxItems": 3,
            "items": {
                "anyOf": [
                    {"const": "#c0392b", "title": "Brick red"},
                    {"const": "#27ae60", "title": "Meadow green"},
                    {"const": "#2980b9", "title": "Lake blue"},
                    {"const": "#f1c40f", "title": "Broom yellow"},
                ]
            },
        },
        "never": {
            "type": "array",
            "title": "Never again",
            "items": {"type": "string", "enum": ["beige", "mauve", "taupe"]},
            "default": ["beige"],
        },
        "door": {
            "type": "string",
            "title": "The door",
            "description": "One that the web has a name for.",
            "enum": NAMED_COLOURS.split(),
        },
    },
    required=("favourites",),
)

PREFERENCES = form(
    {
        "language": {
            "type": "string",
            "title": "Language",
            "enum": ["en", "de", "fr"],
            "default": "en",
        },
        "lines": {"type": "integer", "title": "Lines to a page", "minimum": 0, "default": 0},
        "sound": {"type": "boolean", "title": "Sound", "default": False},
        "signature": {"type": "string", "title": "Signature", "default": ""},
        "scale": {"type": "number", "title": "Scale", "default": 1.5},
    }
)

DEPLOYMENT = form(
    {
        "environment": {
            "type": "string",
            "title": "Environment",
            "enum": ["staging", "production", "canary"],
            "enumNames": ["Staging", "Production", "Canary"],
        },
        "replicas": {
            "type": "integer",
            "title": "Replicas",
            "minimum": 1,
            "maximum": 10,
            "default": 3,
        },
        "downtime": {"type": "boolean", "title": "Downtime is all right"},
    },
    required=("environment", "downtime"),
)

NO_FIELDS = form({})

NIGHTS = form(
    {"nights": {"type": "integer", "title": "Nights", "minimum": 1, "maximum": 30}},
    required=("nights",),
)

CITY = form(
    {"city": {"type": "string", "title": "City", "minLength": 1}},
    required=("city",),
)

SECRETS = form(
    {
        "password": {"type": "string", "title": "Account password"},
        "api_key": {"type": "string", "title": "API key", "description": "It begins with sk-."},
    },
    required=("password", "api_key"),
)

NESTED = form(
    {
        "address": {
            "type": "object",
            "title": "Address",
            "properties": {"street": {"type": "string"}},
        },
        "comment": {"type": "string", "title": "Comment"},
    },
    required=("address",),
)
