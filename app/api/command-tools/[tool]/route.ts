import { getCommandTools } from '#lib/app/current-command-tools.ts';
import { handle } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

export function DELETE(request: Request, { params }: { params: Promise<{ tool: string }> }) {
  return handle(request, async () => Response.json(await getCommandTools().remove((await params).tool)));
}
