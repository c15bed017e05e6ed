/**
 * A text as a file to be saved, whole or in pieces that are written as they are taken. It is never shown as a page of this server: what is in it came
 * from models and tools.
 *
 * @param options.type without the charset, which is UTF-8
 */
export function fileResponse(
  text: string | AsyncGenerator<string>,
  options: { name: string; type: string },
): Response {
  return new Response(typeof text === 'string' ? text : streamOf(text), {
    headers: {
      'content-type': `${options.type}; charset=utf-8`,
      'content-disposition': `attachment; filename="${options.name}"`,
      'content-security-policy': "default-src 'none'; sandbox",
    },
  });
}

function streamOf(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}
