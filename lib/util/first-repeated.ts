/** The first text that occurs a second time in a list. */
export function firstRepeated(texts: readonly string[]): string | undefined {
  return texts.find((text, index) => texts.indexOf(text) < index);
}
