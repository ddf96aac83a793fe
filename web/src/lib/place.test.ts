import { expect, test } from "vitest";
import { addressOf, queryOf } from "./place";

test("what is fetched as a file is of the same project and moment as the page", () => {
  const there = { space: "acme/shop", at: "yesterday", branch: "" };
  expect(queryOf(there, { format: "csv" }).toString()).toBe("format=csv&space=acme%2Fshop&at=yesterday");
  expect(queryOf({ space: "", at: "", branch: "" }).toString()).toBe("");
});

test("what is shared names its project, for whoever opens it may be at home in another", () => {
  expect(addressOf("acme/shop", "http://h/incidents/inc-1?at=now")).toBe(
    "http://h/incidents/inc-1?at=now&space=acme%2Fshop",
  );
  expect(addressOf("b", "http://h/incidents/inc-1?space=b")).toBe("http://h/incidents/inc-1?space=b");
});
