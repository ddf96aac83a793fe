import { cleanup } from "@testing-library/react";
import { afterEach } from "vitest";

// Before each test of a component there is nothing on the page.
afterEach(cleanup);
