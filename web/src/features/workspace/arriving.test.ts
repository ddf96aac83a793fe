import { expect, test } from "vitest";
import { below, chosenFiles, textOf, workspaceName } from "./arriving";
import { indentOf } from "./editor/indent";
import { tongueOf } from "./editor/languages";

test("a workspace is called as what was dropped, in letters that a name may have", () => {
  expect(workspaceName("My Shop (2).zip")).toBe("my-shop-2");
  expect(workspaceName("***")).toBe("code");
});

test("what git, npm and Python leave behind is not sent along", () => {
  const files = [new File(["x"], "a.py"), new File(["x"], "b.py")];
  Object.defineProperty(files[1], "webkitRelativePath", { value: "shop/.git/b.py" });
  expect(chosenFiles(files).map((one) => one.path)).toEqual(["a.py"]);
});

test("only text is taken as text, with plain line ends", async () => {
  expect(await textOf(new Blob(["a\r\nb\n"]))).toBe("a\nb\n");
  expect(await textOf(new Blob([new Uint8Array([0xff, 0xfe, 0x00])]))).toBeNull();
  expect(await textOf(new Blob(["a\u0000b"]))).toBeNull();
});

test("a file that is dropped on a folder lies in it", () => {
  expect(below("src/app", "x.py")).toBe("src/app/x.py");
  expect(below("", "x.py")).toBe("x.py");
});

test("how a file is indented is read from its lines", () => {
  expect(indentOf("a:\n  b:\n    c\n").label).toBe("Spaces: 2");
  expect(indentOf("a\n\tb\n").unit).toBe("\t");
  expect(indentOf("a\n").label).toBe("Spaces: 4");
});

test("the language of a file that is not open is told by its name", () => {
  expect(["x/loop.py", "a.YML", "Makefile"].map(tongueOf)).toEqual(["python", "yaml", "text"]);
});
