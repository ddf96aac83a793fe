import { tagHighlighter, tags } from "@lezer/highlight";

/** Which words of a language look alike; how they look is the style sheet's business, for editors and for plain text. */
export const words = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], class: "code-word" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], class: "code-text" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], class: "code-value" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], class: "code-call" },
  { tag: [tags.className, tags.typeName, tags.namespace], class: "code-call" },
  { tag: [tags.heading, tags.tagName], class: "code-word" },
  { tag: [tags.comment, tags.meta], class: "code-note" },
]);
