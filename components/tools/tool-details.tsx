'use client';

import type { CallMcpToolReply, McpServerReply, McpToolReply } from '#lib/api/mcp.ts';
import { postJson } from '#lib/browser/api.ts';
import { TOOL_STATES } from '#lib/browser/words/server-words.ts';
import { plural } from '#lib/util/numbers.ts';
import { Button } from '../ui/button.tsx';
import { JsonTree } from '../ui/content/json-tree.tsx';
import { FoldMark } from '../ui/fold-mark.tsx';
import { ForeignMessage } from '../ui/foreign-message.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { serverPath } from './server-path.ts';
import { TryTool } from './try-tool.tsx';

/** Everything a server says about a tool, its changes, and a form to try it. */
export function ToolDetails({
  server,
  tool,
  busy,
  onAccept,
  onChange,
}: {
  server: McpServerReply;
  tool: McpToolReply;
  busy: boolean;
  onAccept: () => void;
  onChange: () => void;
}) {
  const { status, accepted, problem, left_out_chars: leftOut, hidden_chars: hidden } = tool;
  return (
    <div className="mt-2 mb-1 grid min-w-0 gap-3 pl-4">
      <p className="text-sm text-ink-3">
        {TOOL_STATES[status].help}
        {status !== 'unusable' && (
          <>
            {' '}
            Models see it as <code className="wrap-anywhere">{tool.offered}</code>.{' '}
            {tool.unasked
              ? 'Its calls run without asking you.'
              : 'Its calls ask you first, unless a run says otherwise.'}
          </>
        )}
      </p>
      {problem && <ForeignMessage text={problem} className="text-sm text-fail" />}
      {tool.title && tool.title !== tool.name && (
        <p className="foreign text-sm font-medium">
          <ForeignText text={tool.title} />
        </p>
      )}
      {accepted && accepted.description !== tool.description && (
        <Labeled label="Description that you accepted">
          <ForeignMessage text={accepted.description} className="text-sm text-ink-3" />
        </Labeled>
      )}
      <Labeled label={accepted ? 'Description now' : 'Description'}>
        <ForeignMessage text={tool.description || '(none)'} className="text-sm" />
      </Labeled>
      {(leftOut ?? hidden) && (
        <p className="text-sm text-warn">
          {[
            ...(leftOut ? [`${plural(leftOut, 'character')} of the description left out`] : []),
            ...(hidden ? [`${plural(hidden, 'invisible character')} removed`] : []),
          ].join(', ')}
          .
        </p>
      )}
      {accepted && <Schema label="Parameters that you accepted" value={accepted.input_schema} />}
      {status !== 'unusable' && (
        <Schema label={accepted ? 'Parameters now' : 'Parameters'} value={tool.input_schema} />
      )}
      {tool.output_schema && <Schema label="Result" value={tool.output_schema} />}
      <div className="flex flex-wrap gap-2">
        {(status === 'new' || status === 'changed') && (
          <Button size="sm" className="max-sm:h-11" disabled={busy} onClick={onAccept}>
            Accept this tool
          </Button>
        )}
      </div>
      {server.state !== 'disabled' && status !== 'unusable' && status !== 'missing' && (
        <TryTool
          name={tool.name}
          schema={tool.input_schema}
          note="This is a real call."
          onCall={async (args) => {
            const path = `${serverPath(server.name)}/call`;
            const body = { tool: tool.name, arguments: args };
            return postJson<CallMcpToolReply>(path, body).finally(onChange);
          }}
        />
      )}
    </div>
  );
}

function Labeled({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className="min-w-0">
      <h3 className="text-xs font-medium text-ink-3">{label}</h3>
      {children}
    </div>
  );
}

function Schema({ label, value }: { label: string; value: McpToolReply['input_schema'] }) {
  return (
    <details className="group min-w-0 text-sm">
      <summary className="flex w-fit items-center gap-2 text-ink-2 hover:text-ink">
        <FoldMark />
        {label}
      </summary>
      <div className="mt-1 font-mono text-xs">
        <JsonTree value={value} />
      </div>
    </details>
  );
}
