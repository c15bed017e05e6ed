'use client';

import { useState } from 'react';
import type { PriceReply } from '#lib/api/model-price.ts';
import type { InstalledModel } from '#lib/api/replies.ts';
import { postJson, toApiError } from '#lib/browser/api.ts';
import {
  type PriceDraft,
  type PriceProblems,
  priceDraft,
  priceWords,
  readPriceDraft,
} from '#lib/browser/words/model-price.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import type { ModelPrice } from '#lib/events/config.ts';
import { useReload } from '../hooks/use-api.ts';
import { useInlineForm } from '../hooks/use-inline-form.ts';
import { type RequestProblem, useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Choice, NumberField } from '../ui/form/fields.tsx';

/** A model's price, and the form that changes it. */
export function PriceEditor({ model }: { model: InstalledModel }) {
  const form = useInlineForm();
  const { name, price } = model;
  const words = price ? 'Change price' : 'Set price';
  if (form.isOpen) return <PriceForm id={form.formId} model={model} onDone={form.close} />;
  return (
    <p className="tnum flex flex-wrap items-baseline gap-x-3 text-sm text-ink-3 sm:col-span-2">
      {price && <span>{priceWords(price)}</span>}
      <button
        id={form.buttonId}
        type="button"
        className="reach underline decoration-line-strong underline-offset-4 hover:text-ink"
        aria-label={`${words}: ${name}`}
        onClick={form.open}
      >
        {words}
      </button>
    </p>
  );
}

function PriceForm({ id, model, onDone }: { id: string; model: InstalledModel; onDone: () => void }) {
  const [draft, setDraft] = useState<PriceDraft>(() => priceDraft(model.price));
  const [problems, setProblems] = useState<PriceProblems>({});
  // The page may load another price while the form is open.
  const [opened] = useState(model.price);
  const { busy, problem, run } = useRequest();
  const reload = useReload();
  const wasChanged = problem?.code === 'price_changed';
  const set = (field: keyof PriceDraft) => (value: string) => {
    setDraft((before) => ({ ...before, [field]: value }));
    setProblems((before) => ({ ...before, [field]: undefined }));
  };
  const save = (price: ModelPrice | null) =>
    run(async () => {
      const base = (wasChanged ? model.price : opened) ?? null;
      try {
        await postJson<PriceReply>('/api/models/price', { model: model.name, price, base });
      } catch (error) {
        // Another tab may have changed the price: the person decides by the current one.
        if (toApiError(error).code === 'price_changed') await reload('/api/models');
        throw error;
      }
      void reload('/api/models');
      onDone();
    });
  return (
    <form
      id={id}
      aria-label={`Price of ${shortLine(model.name)}`}
      noValidate
      className="mt-1 grid gap-3 rounded-md border bg-sunken px-3 py-3 sm:col-span-2"
      onSubmit={(event) => {
        event.preventDefault();
        const read = readPriceDraft(draft);
        if (read.ok) void save(read.price);
        else setProblems(read.problems);
      }}
    >
      <Choice
        legend="Price"
        name={`price of ${model.name}`}
        value={draft.kind}
        onChange={(kind) => setDraft((before) => ({ ...before, kind }))}
        options={[
          { value: 'api', label: 'Per token' },
          { value: 'electricity', label: 'Electricity' },
        ]}
      />
      <PriceFields draft={draft} set={set} problems={problems} />
      <p className="text-xs text-ink-3">
        {draft.kind === 'api'
          ? 'What an API would charge for the same tokens.'
          : 'Counts the time of the model calls. Loading and idling are not counted.'}{' '}
        Runs started from now on use it; earlier runs keep theirs.
      </p>
      {problem && <ErrorNote error={wasChanged ? changedMeanwhile(problem, model.price) : problem} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="primary" size="sm" disabled={busy}>
          Save price
        </Button>
        {model.price && (
          <Button size="sm" disabled={busy} onClick={() => void save(null)}>
            Remove price
          </Button>
        )}
        <Button kind="quiet" size="sm" disabled={busy} onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** What to do when another tab has changed the price: the form keeps its input, and this page has read the price again. */
function changedMeanwhile({ message }: RequestProblem, now: ModelPrice | undefined): RequestProblem {
  return {
    message,
    hint: now
      ? `It is now ${priceWords(now)}. Save again to replace it with yours.`
      : 'It was removed. Save again to set yours.',
  };
}

function PriceFields({
  draft,
  set,
  problems,
}: {
  draft: PriceDraft;
  set: (field: keyof PriceDraft) => (value: string) => void;
  problems: PriceProblems;
}) {
  const field = (name: Exclude<keyof PriceDraft, 'kind'>, label: string, unit: string, example: string) => (
    <NumberField
      label={label}
      unit={unit}
      value={draft[name]}
      onChange={set(name)}
      placeholder={example}
      problem={problems[name]}
    />
  );
  return (
    <div className="grid gap-3 sm:max-w-xl sm:grid-cols-2">
      {draft.kind === 'api' ? (
        <>
          {field('input', 'Input', 'USD per million tokens', '0.15')}
          {field('output', 'Output', 'USD per million tokens', '0.60')}
        </>
      ) : (
        <>
          {field('watts', 'Power while answering', 'watts', '350')}
          {field('kwh', 'Electricity', 'USD per kWh', '0.30')}
        </>
      )}
    </div>
  );
}
