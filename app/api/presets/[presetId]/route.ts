import { type PresetReply, presetUpdate } from '#lib/api/preset.ts';
import { getPresets } from '#lib/app/current-presets.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

type Context = { params: Promise<{ presetId: string }> };

export function GET(request: Request, { params }: Context) {
  return handle(request, async () => {
    const reply: PresetReply = { preset: await getPresets().get((await params).presetId) };
    return Response.json(reply);
  });
}

/** Renames it, and replaces its settings if there are any. */
export function POST(request: Request, { params }: Context) {
  return handle(request, async () => {
    const body = await readBody(request, presetUpdate);
    return Response.json(await getPresets().update((await params).presetId, body));
  });
}

export function DELETE(request: Request, { params }: Context) {
  return handle(request, async () => Response.json(await getPresets().delete((await params).presetId)));
}
