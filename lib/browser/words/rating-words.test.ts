import { expect, it } from 'vitest';
import { intraclassCorrelations, krippendorffAlpha } from '../../statistics/agreement.ts';
import {
  agreementTexts,
  agreementWords,
  missingAgreement,
  ratedTextName,
  scoreWords,
} from './rating-words.ts';

it('names the model of a text however long the title of its run is', () => {
  const name = ratedTextName({ title: 'Tell me about it. '.repeat(20), model: 'qwen3:8b' }, 1);
  expect(name).toMatch(/^2\. Tell me about it\. .*… · qwen3:8b$/);
  expect(ratedTextName({ title: 'Say hello', model: 'qwen3:8b' }, 0)).toBe('1. Say hello · qwen3:8b');
});

it('shows no minus before zero, and says what was not measured', () => {
  expect([-0.001, -0.25, null].map(agreementWords)).toEqual(['0.00', '-0.25', 'not measured']);
  expect([-0.04, 3.25, undefined].map(scoreWords)).toEqual(['0.0', '3.3', '–']);
});

it('says why agreement is not measured', () => {
  const raters = [
    { name: 'a', kind: 'model' },
    { name: 'b', kind: 'model' },
  ] as const;
  const icc = { oneWay: 1, agreement: 1, consistency: 1, meanAgreement: 1 };
  const results = { raters: [...raters], alpha: 1, paired: 2, icc, complete: 2 };
  expect(missingAgreement(results)).toBeUndefined();
  expect(missingAgreement({ ...results, raters: raters.slice(0, 1), alpha: null, icc: null })).toContain(
    'two raters',
  );
  const few = { ...results, icc: null, complete: 1 };
  expect(missingAgreement(few)).toBe('The ICCs need two texts that all raters rated.');
  expect(missingAgreement({ ...few, alpha: null })).toMatch(/^Alpha is not measured: all scores are equal/);
  expect(missingAgreement({ ...few, alpha: null, paired: 0, complete: 0 })).toMatch(
    /^Alpha needs a text that two raters rated,/,
  );
  expect(missingAgreement({ ...results, alpha: null, icc: null })).toContain('all scores are equal');
  expect(missingAgreement({ ...results, icc: null })).toContain('that all raters rated have equal scores');
});

it('says why a single coefficient is not measured although the others are', () => {
  const raters = ['a', 'b'].map((name) => ({ name, kind: 'model' as const }));
  const agreementOf = (texts: number[][]) => {
    const alpha = krippendorffAlpha(texts, 'interval') ?? null;
    return {
      raters,
      alpha,
      icc: intraclassCorrelations(texts) ?? null,
      paired: texts.length,
      complete: texts.length,
    };
  };
  // Each rater gave all texts the same score; ICC(3,1) divides by the variance of the texts.
  const constant = agreementOf(Array.from({ length: 3 }, () => [3, 5]));
  expect(constant.icc?.consistency).toBeUndefined();
  // All texts have the same mean score; ICC(2,k) divides by a variance that is estimated as negative.
  const opposite = agreementOf([
    [1, 5],
    [5, 1],
    [3, 3],
  ]);
  expect(opposite.icc?.meanAgreement).toBeUndefined();
  for (const each of [constant, opposite]) {
    expect(missingAgreement(each)).toContain('the mean scores of the texts differ too little');
  }
});

it('names the texts behind alpha and the ICCs', () => {
  expect(agreementTexts({ paired: 5, complete: 2 }, 12)).toBe(
    'Alpha uses the 5 of 12 texts that at least two raters rated, the ICCs the 2 that all raters rated.',
  );
});
