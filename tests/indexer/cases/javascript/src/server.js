import express from "express";
import { warn } from "@scope/log/levels";
import { total } from "./items/total.js";

// Answers with the total of a cart.
export function serve(port) {
  return express().get("/total", (request, answer) => answer.send(String(total()))).listen(port, warn);
}
