# benign: a web service with types
from typing import Optional
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

app = FastAPI()

class Item(BaseModel):
    name: str
    price: float
    tax: Optional[float] = None

items: dict[int, Item] = {}

@app.get("/items/{item_id}")
async def read(item_id: int) -> Item:
    if item_id not in items:
        raise HTTPException(404)
    return items[item_id]

@app.put("/items/{item_id}")
async def write(item_id: int, item: Item):
    items[item_id] = item
    return {"ok": True}
