import { presetRequest } from '#lib/api/preset.ts';
import { getPresets } from '#lib/app/current-presets.ts';
import { handle, readBody } from '#lib/http/handle.ts';

export const dynamic = 'force-dynamic';

/** Lists the presets by name. */
export function GET(request: Request) {
  return handle(request, async () => Response.json(await getPresets().list()));
}

/** Stores a new preset, or the content of a preset file. */
export function POST(request: Request) {
  return handle(request, async () => {
    const body = await readBody(request, presetRequest);
    const reply = await getPresets().create(body);
    return Response.json(reply, {
      status: 201,
      headers: { location: `/api/presets/${reply.preset.id}` },
    });
  });
}
