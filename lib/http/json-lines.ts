/**
 * Serializes pages as JSON Lines, with one page in memory at a time: the next one is read when the previous one was
 * consumed.
 */
export async function* jsonLines(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((value) => `${JSON.stringify(value)}\n`).join('');
}
