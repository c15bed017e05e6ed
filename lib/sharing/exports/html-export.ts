import type { PlayerSource, SharedNote } from '../../api/player-source.ts';
import type { RunConfig } from '../../events/config.ts';
import type { RunEvent } from '../../events/registry.ts';
import { shortText } from '../../util/short-text.ts';
import type { PlayerAssets } from '../player/assets.ts';
import { inertJson, mayHaveFormulas, playerDocument, playerPolicy } from '../player/player-document.ts';
import type { ExportedLog } from './exported-log.ts';

/**
 * A run as one HTML page that needs nothing else: its log, and the player to look at it with. It opens from a disk, asks
 * nobody for anything, and nothing in it can do more than be read (issue 8). Written piece by piece, so that a log of any
 * length costs a page of events at a time.
 */
export async function* htmlExport(log: ExportedLog, assets: PlayerAssets): AsyncGenerator<string> {
  const { head, tail } = playerDocument({
    assets,
    title: `${titleOf(log.config)} · Loupe`,
    policy: playerPolicy(assets),
  });
  yield `${head}{"kind":${inertJson('log' satisfies PlayerSource['kind'])},"events":[`;
  let first = true;
  let formulas = false;
  let last: RunEvent | undefined;
  for await (const events of log.pages()) {
    if (events.length === 0) continue;
    const text = events.map(inertJson).join(',');
    formulas ||= mayHaveFormulas(text);
    yield (first ? '' : ',') + text;
    first = false;
    last = events.at(-1);
  }
  const note: SharedNote = {
    scope: log.scope,
    redacted: log.masked(),
    frozen_at: last && last.type !== 'run.ended' ? last.at : undefined,
  };
  yield `],"shared":${inertJson(note)}}${tail({ formulas })}`;
}

function titleOf({ title, task, mode }: Pick<RunConfig, 'title' | 'task' | 'mode'>): string {
  const [line = ''] = (title ?? task).trim().split('\n', 1);
  return shortText(line === '' ? mode : line, 80);
}
