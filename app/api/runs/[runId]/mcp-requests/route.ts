import { answerMcpRequest } from '#lib/api/mcp-request.ts';
import type { McpRequestReply } from '#lib/api/replies.ts';
import { getRunService } from '#lib/app/current-service.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Records a person's answer to a request of an MCP server during a call. Repeating the same answer has no effect. */
export function POST(request: Request, { params }: { params: Promise<{ runId: string }> }) {
  return handle(request, async () => {
    const { runId } = await params;
    const { request_id: requestId, ...answer } = await readBody(request, answerMcpRequest);
    const reply: McpRequestReply = {
      run: await getRunService().answerServer(runId, { requestId, ...answer }),
    };
    return Response.json(reply);
  });
}
