'use client';

import { type CopiedFiles, copiedWords, leftOutWords } from '#lib/browser/words/copied-words.ts';
import { KIND_WORDS, modeWords } from '#lib/browser/words/mode-words.ts';
import type { RunConfig } from '#lib/events/config.ts';
import { kindOf } from '#lib/events/modes.ts';
import type { CreatedRow as CreatedRowData } from '#lib/events/timeline.ts';
import { asJson } from '#lib/util/json.ts';
import { Badge } from '../../ui/badge.tsx';
import { ForeignName } from '../../ui/foreign-name.tsx';
import { RunImages } from '../run-images.tsx';
import { useUnfolded } from '../screen-context.ts';
import { JsonFields } from './json-fields.tsx';
import { LongText } from './long-text.tsx';
import { Disclosure, Panel, RailNode, RowFrame } from './row-frame.tsx';
import { wholeOf } from './whole-of.ts';

/** The location of the copy that the run works on, and its source. */
function CopiedNote({
  config: { workspace, copied_from },
  copied,
}: {
  config: RunConfig;
  copied: CopiedFiles;
}) {
  return (
    <p className="foreign mt-1 max-w-read text-sm text-ink-2">
      The workspace is a copy
      {copied_from !== undefined && (
        <>
          {' '}
          of{' '}
          <code>
            <ForeignName text={copied_from} isPath />
          </code>
        </>
      )}{' '}
      ({copiedWords(copied)}). {leftOutWords(copied)}
      {copied_from !== undefined && (
        <>
          {' '}
          The run leaves that folder unchanged. Its files are in{' '}
          <code>
            <ForeignName text={workspace} isPath />
          </code>
          .
        </>
      )}
    </p>
  );
}

/** The task and all settings of the run. */
export function CreatedRow({ row }: { row: CreatedRowData }) {
  const [open, toggle] = useUnfolded(row.key);
  const { config, copied } = row.event;
  const { task, system, images, ...settings } = config;
  return (
    <RowFrame node={<RailNode shape="dot" />}>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <Disclosure open={open} onToggle={toggle}>
          <span className="font-semibold">{modeWords(config)}</span>
          <span className="text-sm text-ink-3">and settings</span>
        </Disclosure>
        {row.event.parent && <Badge>fork</Badge>}
      </div>
      {task.trim() ? (
        <div className="mt-1">
          <LongText
            id={`${row.key}.task`}
            text={task}
            label="task"
            whole={wholeOf(row.event, 'config.task')}
            className="words"
          />
        </div>
      ) : (
        <p className="mt-1 text-ink-2">{KIND_WORDS[kindOf(config)].noTask}</p>
      )}
      <RunImages images={images} />
      {copied && !row.event.parent && <CopiedNote config={config} copied={copied} />}
      {open && (
        <div className="mt-2 mb-1 grid gap-3">
          <Panel label="Settings">
            <JsonFields
              id={`${row.key}.settings`}
              value={asJson(settings)}
              label="settings"
              seq={row.seq}
              path="config"
              cuts={[]}
            />
          </Panel>
          {system && (
            <Panel label="System prompt (added first)">
              <LongText
                id={`${row.key}.system`}
                text={system}
                label="system prompt"
                whole={wholeOf(row.event, 'config.system')}
              />
            </Panel>
          )}
        </div>
      )}
    </RowFrame>
  );
}
