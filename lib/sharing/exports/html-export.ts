import type { PlayerSource, SharedNote } from '../../api/player-source.ts';
import type { RunConfig } from '../../events/config.ts';
import { IMAGE_LIMITS } from '../../events/limits.ts';
import type { RunEvent } from '../../events/registry.ts';
import type { StoredImage } from '../../store/image-store.ts';
import { shortText } from '../../util/short-text.ts';
import type { PlayerAssets } from '../player/assets.ts';
import { inertJson, mayHaveFormulas, playerDocument, playerPolicy } from '../player/player-document.ts';
import type { ExportedLog } from './exported-log.ts';

/**
 * A run as one self-contained HTML page: its log, and the player that shows it. It opens from disk, makes no requests,
 * and its content cannot execute. Written piece by piece, so that a log of any length needs memory for one page of
 * events.
 *
 * @param images the images of its events, up to `IMAGE_LIMITS`; nothing in them is masked
 */
export async function* htmlExport(
  log: ExportedLog,
  assets: PlayerAssets,
  images: AsyncIterable<StoredImage> = none(),
): AsyncGenerator<string> {
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
  yield '],"images":{';
  let room: number = IMAGE_LIMITS.max_exported_bytes;
  let before = '';
  for await (const { hash, type, data } of images) {
    // Images beyond the limit are only named.
    if (data.length > room) continue;
    room -= data.length;
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
    yield `${before}${inertJson(hash)}:${inertJson(`data:image/${type};base64,${bytes}`)}`;
    before = ',';
  }
  yield `},"shared":${inertJson(note)}}${tail({ formulas })}`;
}

async function* none(): AsyncGenerator<never> {}

function titleOf({ title, task, mode }: Pick<RunConfig, 'title' | 'task' | 'mode'>): string {
  const [line = ''] = (title ?? task).trim().split('\n', 1);
  return shortText(line === '' ? mode : line, 80);
}
