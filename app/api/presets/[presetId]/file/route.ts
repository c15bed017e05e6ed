import { presetFile } from '#lib/api/preset.ts';
import { getPresets } from '#lib/app/current-presets.ts';
import { handle } from '#lib/http/handle.ts';
import { nameInHeader } from '#lib/http/name-in-header.ts';

export const dynamic = 'force-dynamic';

/** The preset as a file. */
export function GET(request: Request, { params }: { params: Promise<{ presetId: string }> }) {
  return handle(request, async () => {
    const file = presetFile(await getPresets().get((await params).presetId));
    const name = nameInHeader(file.name, 'preset');
    return new Response(`${JSON.stringify(file, null, 2)}\n`, {
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-disposition': `attachment; filename="${name}.loupe-preset.json"`,
      },
    });
  });
}
