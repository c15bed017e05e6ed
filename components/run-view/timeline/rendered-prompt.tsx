'use client';

import { useState } from 'react';
import { VList } from 'virtua';
import type { RenderedReply, SentRequestReply } from '#lib/api/sent-request.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import { originWords } from '#lib/browser/words/origin-words.ts';
import { promptPieces } from '#lib/browser/words/special-tokens.ts';
import { useRequest } from '../../hooks/use-request.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { useRunScreen } from '../screen-context.ts';

/**
 * The prompt as Ollama renders it today, on request, because that loads the model. Says whether the model has changed
 * since the call, because its template may have, too.
 */
export function RenderedPrompt({ sent, onMessages }: { sent: SentRequestReply; onMessages: () => void }) {
  const render = useRunScreen().server?.renderPrompt;
  const [rendered, setRendered] = useState<RenderedReply>();
  const { busy, problem, run } = useRequest();
  const options = sent.body.options;
  const window =
    typeof options === 'object' && options !== null && 'num_ctx' in options ? Number(options.num_ctx) : 0;
  if (!render)
    return <p className="font-sans text-ink-2">Only the server of the run can ask Ollama for it.</p>;
  const ask = () => run(async () => setRendered(await render(sent.call)));
  if (rendered) {
    return (
      <>
        <Origin reply={rendered} model={String(sent.body.model)} onMessages={onMessages} />
        <Prompt text={rendered.rendered} />
      </>
    );
  }
  return (
    <div className="grid justify-items-start gap-2 font-sans text-sm">
      <p className="foreign text-ink-2">
        Only Ollama knows the template of <ForeignText text={String(sent.body.model)} />: it renders the
        prompt from this request with today's template, without an answer.{' '}
        <strong className="font-semibold">It loads the model</strong> for it
        {window > 0 && ` with a window of ${formatCount(window)} tokens`}, unless it is already in memory that
        way.
      </p>
      <Button size="sm" disabled={busy} onClick={() => void ask()}>
        {busy ? 'Ollama renders' : 'Render the prompt'}
      </Button>
      {problem && <ErrorNote error={problem} />}
      {problem?.code === 'model_missing' && (
        <p className="text-ink-2">
          The model is no longer installed, so its template is gone.{' '}
          <Button size="sm" onClick={onMessages}>
            Messages as sent
          </Button>
        </p>
      )}
    </div>
  );
}

/** Which model and server rendered the prompt, and whether they are those of the call. */
function Origin({
  reply,
  model,
  onMessages,
}: {
  reply: RenderedReply;
  model: string;
  onMessages: () => void;
}) {
  const { tone, text } = originWords(reply, model);
  return (
    <div className="mb-2 grid justify-items-start gap-1.5 font-sans text-sm">
      <p className={cx('foreign', tone === 'warn' ? 'text-warn' : 'text-ink-2')}>
        <ForeignText text={text} />
      </p>
      {tone === 'warn' && (
        <Button size="sm" onClick={onMessages}>
          Messages as sent
        </Button>
      )}
    </div>
  );
}

const BLOCK_CHARS = 6000;

function Prompt({ text }: { text: string }) {
  const tokens = promptPieces(text).filter((piece) => piece.special).length;
  const blocks: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = Math.min(text.length, from + BLOCK_CHARS);
    const line = end < text.length ? text.lastIndexOf('\n', end) : -1;
    const to = line > from ? line + 1 : end;
    blocks.push(text.slice(from, to));
    from = to;
  }
  return (
    <>
      <p className="tnum mb-1.5 flex items-center gap-x-2 font-sans text-xs text-ink-3">
        <span>
          {formatCount(text.length)} characters, {plural(tokens, 'control token')} in color. A token in color
          within a message may be text of a file or a tool.
        </span>
        <CopyButton text={text} label="Copy the prompt" />
      </p>
      <ScrollRegion
        label="Rendered prompt"
        className={
          blocks.length > 4
            ? 'h-[min(28rem,60dvh)] rounded-sm border'
            : 'max-h-[min(28rem,60dvh)] overflow-y-auto rounded-sm border p-2'
        }
      >
        {blocks.length > 4 ? (
          <VList data={blocks} className="clickable-rows p-2">
            {(block, index) => <Block key={index} text={block} />}
          </VList>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
          blocks.map((block, index) => <Block key={index} text={block} />)
        )}
      </ScrollRegion>
    </>
  );
}

function Block({ text }: { text: string }) {
  return (
    <pre className="foreign m-0 leading-relaxed">
      {promptPieces(text).map((piece, index) =>
        piece.special ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
          <mark key={index} className="rounded-sm bg-brass-wash px-0.5 font-semibold text-brass">
            <ForeignText text={piece.text} />
          </mark>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
          <ForeignText key={index} text={piece.text} />
        ),
      )}
    </pre>
  );
}
