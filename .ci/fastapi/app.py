"""A server for generated clients: every kind of parameter, body, model and response that FastAPI knows.

Each operation checks what it was sent where it can, and sends it back. Run without arguments, it prints its OpenAPI
document. With --serve, it listens on a port that the system gives, and prints the port.
"""

import json
import socket
import sys
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, Union
from uuid import UUID

import uvicorn
from fastapi import Body, Cookie, Depends, FastAPI, File, Form, Header, HTTPException, Path, Query, UploadFile
from fastapi.responses import PlainTextResponse, Response, StreamingResponse
from fastapi.security import APIKeyCookie, APIKeyHeader, APIKeyQuery, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field, HttpUrl

app = FastAPI(title="Everything", version="1.0", servers=[{"url": "/"}])


class Color(str, Enum):
    red = "red"
    dark_green = "dark-green"
    none = "none"


class Level(IntEnum):
    low = -1
    high = 2


class Size(BaseModel):
    width: float
    height: float | None = None


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str]


class Fruit(str, Enum):
    apple = "apple"
    pear = "pear"


class First(BaseModel):
    version: Literal[1]
    name: str


class Second(BaseModel):
    version: Literal[2]
    title: str


class Choices(BaseModel):
    versions: list[Annotated[First | Second, Field(discriminator="version")]]
    words: list[Color | Fruit | int]


class Part(BaseModel):
    """A thing that contains others of its kind."""

    name: str
    parts: list["Part"] = []
    main: Union["Part", None] = None


class Thing(BaseModel):
    id: UUID
    count: int
    big: Annotated[int, Field(json_schema_extra={"format": "int64"})]
    ratio: float
    is_new: bool
    made_at: datetime
    day: date
    home: HttpUrl
    price: Decimal
    color: Color
    level: Level
    size: Size
    sizes: list[Size]
    by_name: dict[str, Size]
    note: str | None
    missing: str | None = None
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    either: int | str | list[bool]
    anything: Any
    class_: Annotated[str, Field(alias="class")]
    tree: Part


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


class Message(BaseModel):
    message: str
    code: int


class Filter(BaseModel):
    limit: int = 10
    colors: list[Color] = []
    after: datetime | None = None


@app.post("/things", tags=["models"], operation_id="echo_thing", status_code=201)
def echo_thing(thing: Thing) -> Thing:
    return thing


@app.post("/choices", tags=["models"], operation_id="echo_choices")
def echo_choices(body: Choices) -> Choices:
    return body


@app.post("/open", tags=["models"], operation_id="echo_open")
def echo_open(body: Open) -> Open:
    return body


@app.post("/lists", tags=["models"], operation_id="echo_sizes")
def echo_sizes(body: list[Size]) -> list[Size]:
    return body


@app.post("/two", tags=["models"], operation_id="echo_two")
def echo_two(size: Size, color: Annotated[Color, Body()], count: Annotated[int, Body()] = 1) -> dict[str, Any]:
    return {"size": size, "color": color, "count": count}


@app.get("/pets/{kind}", tags=["models"], operation_id="pet")
def pet(kind: str) -> Annotated[Cat | Dog, Field(discriminator="kind")]:
    return Cat(kind="cat", lives=3) if kind == "cat" else Dog(kind="dog", tricks=["sit"])


@app.get("/maybe", tags=["models"], operation_id="maybe")
def maybe(there: bool = False) -> Size | None:
    return Size(width=1) if there else None


@app.get("/paths/{text}/{number}/{flag}/{id}/{color}/{level}/{rest:path}", tags=["parameters"], operation_id="paths")
def paths(text: str, number: int, flag: bool, id: UUID, color: Color, level: Level, rest: str) -> list[Any]:
    return [text, number, flag, id, color, level, rest]


@app.get("/query", tags=["parameters"], operation_id="query")
def query(
    text: str,
    number: int,
    ratio: float,
    when: datetime,
    color: Color,
    many: Annotated[list[int], Query()],
    words: Annotated[list[str] | None, Query()] = None,
    flag: bool | None = None,
    renamed: Annotated[str, Query(alias="a-b[]")] = "x",
    either: int | bool | None = None,
) -> dict[str, Any]:
    return {
        "text": text, "number": number, "ratio": ratio, "when": when, "color": color, "many": many, "words": words,
        "flag": flag, "renamed": renamed, "either": either,
    }


@app.get("/filter", tags=["parameters"], operation_id="filter")
def filter_(filter: Annotated[Filter, Query()]) -> Filter:
    return filter


@app.get("/headers", tags=["parameters"], operation_id="headers")
def headers(
    x_count: Annotated[int, Header()],
    x_words: Annotated[list[str] | None, Header()] = None,
    session: Annotated[str | None, Cookie()] = None,
    theme: Annotated[Color | None, Cookie()] = None,
) -> list[Any]:
    return [x_count, x_words, session, theme]


@app.post("/form", tags=["bodies"], operation_id="form")
def form(
    name: Annotated[str, Form()], count: Annotated[int, Form()] = 0, colors: Annotated[list[Color], Form()] = []
) -> list[Any]:
    return [name, count, colors]


@app.post("/files", tags=["bodies"], operation_id="files")
async def files(
    file: UploadFile,
    others: list[UploadFile],
    name: Annotated[str, Form()],
    data: Annotated[bytes | None, File()] = None,
) -> list[Any]:
    sizes = [len(await other.read()) for other in others]
    return [file.filename, file.content_type, len(await file.read()), sizes, name, data and len(data)]


@app.post("/text", tags=["bodies"], operation_id="text", response_class=PlainTextResponse)
def text(body: Annotated[str, Body(media_type="text/plain")]) -> str:
    return body


@app.post(
    "/bytes", tags=["bodies"], operation_id="bytes",
    responses={200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}},
    response_class=Response,
)
def bytes_(body: Annotated[bytes, Body(media_type="application/octet-stream")]) -> Response:
    return Response(body, media_type="application/octet-stream")


@app.delete("/things/{id}", tags=["responses"], operation_id="delete", status_code=204)
def delete(id: int) -> None:
    pass


@app.get("/fails/{status}", tags=["responses"], operation_id="fail", responses={404: {"model": Message}})
def fail(status: int) -> Size:
    if status == 404:
        return Response(Message(message="no such thing", code=7).model_dump_json(), 404, media_type="application/json")
    raise HTTPException(status, "it has failed")


@app.get(
    "/events", tags=["responses"], operation_id="events", response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"$ref": "#/components/schemas/Size"}}}}},
)
def events() -> StreamingResponse:
    lines = [f"data: {json.dumps({'width': width})}\n\n" for width in (1, 2, 3)]
    return StreamingResponse(lines, media_type="text/event-stream")


@app.get("/bearer", tags=["security"], operation_id="bearer")
def bearer(token: Annotated[Any, Depends(HTTPBearer())]) -> str:
    return token.credentials


@app.get("/key", tags=["security"], operation_id="key")
def key(key: Annotated[str, Depends(APIKeyHeader(name="X-Key"))]) -> str:
    return key


@app.get("/queryKey", tags=["security"], operation_id="query_key")
def query_key(key: Annotated[str, Depends(APIKeyQuery(name="key"))]) -> str:
    return key


@app.get("/cookieKey", tags=["security"], operation_id="cookie_key")
def cookie_key(key: Annotated[str, Depends(APIKeyCookie(name="sid"))]) -> str:
    return key


if sys.argv[1:] == ["--serve"]:
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listener])
else:
    json.dump(app.openapi(), sys.stdout, indent=1)
