import { suiteFileFormat } from '#lib/api/suite.ts';
import { getSuites } from '#lib/app/current-suites.ts';
import { fileResponse } from '#lib/http/file-response.ts';
import { handle } from '#lib/http/handle.ts';
import { nameInHeader } from '#lib/http/name-in-header.ts';
import { oneOf } from '#lib/http/query-choice.ts';
import { writeSuite } from '#lib/suites/write-suite.ts';

export const dynamic = 'force-dynamic';

const TYPES = { yaml: 'application/yaml', json: 'application/json', jsonl: 'application/x-ndjson' };

/** The suite as a file, of the current version or of `?version=HASH`. */
export function GET(request: Request, { params }: { params: Promise<{ suiteId: string }> }) {
  return handle(
    request,
    async () => {
      const query = new URL(request.url).searchParams;
      const format = oneOf(query, 'format', suiteFileFormat.options) ?? 'yaml';
      const suite = await getSuites().content((await params).suiteId, query.get('version') ?? undefined);
      const name = nameInHeader(suite.name, 'suite');
      return fileResponse(writeSuite(suite, format), {
        name: `${name}.${format}`,
        type: TYPES[format],
      });
    },
    { query: ['format', 'version'] },
  );
}
