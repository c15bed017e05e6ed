'use client';

import type { InstalledModel } from '#lib/api/replies.ts';
import { fieldLabel, placeholderOf } from '#lib/browser/drafts/number-fields.ts';
import { priceWords } from '#lib/browser/words/model-price.ts';
import { NumberField } from '../ui/form/fields.tsx';
import { Link } from '../ui/link.tsx';
import { useDraftField } from './run-form.ts';

/** The cost budget of a run; needs a model with a price. */
export function CostBudgetField({
  model,
}: {
  /** The chosen model; `undefined` while it is not known. */
  model: InstalledModel | undefined;
}) {
  const { value, set, problem } = useDraftField('max_cost_usd');
  const unpriced = model !== undefined && model.price === undefined;
  return (
    <NumberField
      {...fieldLabel('max_cost_usd')}
      value={value}
      onChange={set}
      placeholder={unpriced ? 'needs a price' : placeholderOf('max_cost_usd', undefined)}
      // A budget that came from another run can still be taken out.
      disabled={unpriced && value === ''}
      hint={unpriced ? <NeedsPrice demo={model.demo} /> : model?.price && priceWords(model.price)}
      problem={problem}
    />
  );
}

function NeedsPrice({ demo }: { demo: boolean }) {
  if (demo) return 'Demo models have no price.';
  return (
    <>
      This model has no price.{' '}
      <Link href="/models" className="underline underline-offset-4 hover:text-ink">
        Set it on the Models page
      </Link>
      .
    </>
  );
}
