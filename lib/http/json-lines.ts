/** Pages of values as JSON Lines, one page in memory at a time: the next is read when the last was taken. */
export async function* jsonLines(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  for await (const page of pages) yield page.map((value) => `${JSON.stringify(value)}\n`).join('');
}
