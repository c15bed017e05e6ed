'use client';

import { type FormEvent, type ReactNode, useState } from 'react';
import type {
  McpOffersReply,
  McpPrompt,
  McpPromptReply,
  McpResource,
  McpResourceReply,
  McpResourceTemplate,
} from '#lib/api/mcp-offers.ts';
import { getJson, postJson } from '#lib/browser/api.ts';
import { formatBytes } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { plural } from '#lib/util/numbers.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { FoldMark } from '../ui/fold-mark.tsx';
import { ForeignMessage } from '../ui/foreign-message.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Field } from '../ui/form/fields.tsx';
import { serverPath } from './server-path.ts';

/** The prompts and resources of a server, listed when they are opened, to be read by a person. Runs don't use them. */
export function ServerOffers({ server }: { server: string }) {
  const [offers, setOffers] = useState<McpOffersReply>();
  const { busy, problem, run } = useRequest();
  const load = () =>
    void run(async () => setOffers(await getJson<McpOffersReply>(`${serverPath(server)}/offers`)));
  const count = offers ? offers.prompts.length + offers.resources.length + offers.templates.length : 0;
  return (
    <details
      className="group mt-3 min-w-0 text-sm"
      onToggle={(event) => {
        // Again each time: a server can change what it offers.
        if (event.currentTarget.open && !busy) load();
      }}
    >
      <summary className="flex w-fit items-center gap-2 text-ink-2 hover:text-ink max-sm:min-h-11">
        <FoldMark />
        Prompts and resources
      </summary>
      <div className="mt-2 grid min-w-0 gap-4 pl-4" aria-live="polite">
        {busy && !offers && <p className="text-ink-3">Asking the server…</p>}
        {problem && <ErrorNote error={problem} />}
        {offers && count === 0 && <p className="text-ink-3">The server has none.</p>}
        {offers && count > 0 && (
          <p className="text-ink-3">Only you read them here: runs use the tools of a server.</p>
        )}
        {offers && (
          <>
            <Group title="Prompts" of={server}>
              {offers.prompts.map((prompt) => (
                <PromptOffer key={prompt.name} server={server} prompt={prompt} />
              ))}
            </Group>
            <Group title="Resources" of={server}>
              {offers.resources.map((resource) => (
                <ResourceOffer key={resource.uri} server={server} resource={resource} />
              ))}
            </Group>
            <Group title="Resource templates" of={server}>
              {offers.templates.map((template) => (
                <TemplateOffer key={template.uri_template} server={server} template={template} />
              ))}
            </Group>
          </>
        )}
      </div>
    </details>
  );
}

function Group({ title, of, children }: { title: string; of: string; children: readonly ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <section aria-label={`${title} of ${of}`} className="min-w-0">
      <h3 className="text-xs font-medium text-ink-3">
        {plural(children.length, title.slice(0, -1).toLowerCase())}
      </h3>
      <ul className="divide-y border-y">{children}</ul>
    </section>
  );
}

/** One entry: its name, what the server says about it, and a form that reads it. */
function Offer({
  name,
  about,
  facts,
  busy,
  problem,
  onRead,
  fields,
  children,
}: {
  name: string;
  about: { title?: string; description?: string };
  facts?: readonly string[];
  busy: boolean;
  problem: ReturnType<typeof useRequest>['problem'];
  onRead: () => void;
  fields?: ReactNode;
  children?: ReactNode;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onRead();
  };
  return (
    <li className="min-w-0 py-2">
      <form className="grid min-w-0 gap-2" aria-label={`Read ${shortLine(name)}`} onSubmit={submit}>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <code className="foreign min-w-0 flex-1 font-semibold">
            <ForeignText text={name} />
          </code>
          {facts?.map((fact) => (
            <span key={fact} className="tnum text-xs text-ink-3 max-sm:order-last max-sm:basis-full">
              <ForeignText text={fact} />
            </span>
          ))}
          <Button type="submit" size="sm" className="max-sm:h-11" disabled={busy}>
            {busy ? 'Reading' : 'Read'}
          </Button>
        </div>
        {about.title && about.title !== name && (
          <p className="foreign m-0">
            <ForeignText text={about.title} />
          </p>
        )}
        {about.description && <ForeignMessage text={about.description} className="text-ink-2" />}
        {fields}
        {problem && <ErrorNote error={problem} />}
      </form>
      {children}
    </li>
  );
}

function PromptOffer({ server, prompt }: { server: string; prompt: McpPrompt }) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [reply, setReply] = useState<McpPromptReply>();
  const { busy, problem, run } = useRequest();
  const read = () =>
    void run(async () => {
      const given = Object.entries(texts).filter(([, text]) => text !== '');
      const body = { prompt: prompt.name, arguments: Object.fromEntries(given) };
      setReply(await postJson<McpPromptReply>(`${serverPath(server)}/prompt`, body));
    });
  return (
    <Offer
      name={prompt.name}
      about={prompt}
      busy={busy}
      problem={problem}
      onRead={read}
      fields={prompt.arguments.map((argument) => (
        <Field
          key={argument.name}
          label={`${shortLine(argument.title ?? argument.name)}${argument.required ? '' : ' (optional)'}`}
          hint={argument.description && <ForeignText text={argument.description} />}
        >
          {(props) => (
            <input
              {...props}
              className="field max-sm:h-11"
              autoComplete="off"
              required={argument.required}
              maxLength={10_000}
              value={texts[argument.name] ?? ''}
              onChange={(event) => setTexts({ ...texts, [argument.name]: event.target.value })}
            />
          )}
        </Field>
      ))}
    >
      {reply?.messages.map(({ role, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the messages never change
        <ReadText key={index} label={role === 'user' ? 'User' : 'Assistant'} text={text} />
      ))}
      {reply && <Ending count={reply.messages.length} truncated={reply.truncated} />}
    </Offer>
  );
}

function ResourceOffer({ server, resource }: { server: string; resource: McpResource }) {
  const reading = useResource(server);
  const { uri, mime_type: type, size_bytes: bytes } = resource;
  return (
    <Offer
      name={uri}
      about={{
        title: resource.title ?? resource.name,
        ...(resource.description && { description: resource.description }),
      }}
      facts={[...(type ? [type] : []), ...(bytes === undefined ? [] : [formatBytes(bytes)])]}
      busy={reading.busy}
      problem={reading.problem}
      onRead={() => reading.read(uri)}
    >
      <ResourceTexts reply={reading.reply} />
    </Offer>
  );
}

function TemplateOffer({ server, template }: { server: string; template: McpResourceTemplate }) {
  const reading = useResource(server);
  const [uri, setUri] = useState(template.uri_template);
  return (
    <Offer
      name={template.uri_template}
      about={{
        title: template.title ?? template.name,
        ...(template.description && { description: template.description }),
      }}
      facts={template.mime_type ? [template.mime_type] : []}
      busy={reading.busy}
      problem={reading.problem}
      onRead={() => reading.read(uri)}
      fields={
        <Field label="Completed address">
          {(props) => (
            <input
              {...props}
              className="field font-mono max-sm:h-11"
              autoComplete="off"
              required
              maxLength={2000}
              value={uri}
              onChange={(event) => setUri(event.target.value)}
            />
          )}
        </Field>
      }
    >
      <ResourceTexts reply={reading.reply} />
    </Offer>
  );
}

function useResource(server: string) {
  const [reply, setReply] = useState<McpResourceReply>();
  const { busy, problem, run } = useRequest();
  const read = (uri: string) =>
    void run(async () => {
      setReply(await postJson<McpResourceReply>(`${serverPath(server)}/resource`, { uri }));
    });
  return { reply, busy, problem, read };
}

function ResourceTexts({ reply }: { reply: McpResourceReply | undefined }) {
  if (!reply) return null;
  return (
    <>
      {reply.texts.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the texts never change
        <ReadText key={index} label="Content" text={text} />
      ))}
      <Ending count={reply.texts.length} truncated={reply.truncated} />
    </>
  );
}

function ReadText({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div role="group" aria-label={label} className="mt-2 min-w-0">
      <p className="m-0 text-xs font-medium text-ink-3">{label}</p>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
        tabIndex={0}
        className="foreign m-0 max-h-96 overflow-y-auto rounded-md border bg-sunken px-3 py-2 font-mono text-xs leading-relaxed"
      >
        <ForeignText text={text || '(empty)'} />
      </pre>
    </div>
  );
}

function Ending({ count, truncated }: { count: number; truncated: true | undefined }) {
  if (count > 0 && !truncated) return null;
  return <p className="mt-1 mb-0 text-ink-3">{count === 0 ? 'The server sent nothing.' : 'Shortened.'}</p>;
}
