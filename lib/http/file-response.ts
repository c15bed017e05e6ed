/**
 * A text sent as a download, whole or streamed. It is never displayed as a page of this server, because its content
 * comes from models and tools.
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
