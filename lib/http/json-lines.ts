/** Pages of values as JSON Lines, one page in memory at a time: the next is read when the last was taken. */
export function jsonLines(pages: AsyncGenerator<readonly unknown[]>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pages.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value.map((item) => `${JSON.stringify(item)}\n`).join('')));
    },
    async cancel() {
      await pages.return(undefined);
    },
  });
}
