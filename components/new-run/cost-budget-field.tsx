'use client';

import type { InstalledModel } from '#lib/api/replies.ts';
import { priceWords } from '#lib/browser/words/model-price.ts';
import { NumberField } from '../ui/form/fields.tsx';
import { Link } from '../ui/link.tsx';

/** The cost budget of a run; needs a model with a price. */
export function CostBudgetField({
  model,
  value,
  onChange,
  problem,
}: {
  /** The chosen model; `undefined` while it is not known. */
  model: InstalledModel | undefined;
  value: string;
  onChange: (value: string) => void;
  problem?: string;
}) {
  const unpriced = model !== undefined && model.price === undefined;
  return (
    <NumberField
      label="Cost budget"
      unit="USD"
      value={value}
      onChange={onChange}
      placeholder={unpriced ? 'needs a price' : 'none'}
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
