import type {
  AxisScore,
  CheckAxis,
  CheckCriterion,
  CheckSummary,
  CheckVerdict,
  ModelCheck,
} from './model-check.ts';

/** The verdict of a probe: `fail` if one rule fails, `pass` if all pass, otherwise `unknown`. */
export function verdictOf(criteria: readonly Pick<CheckCriterion, 'verdict'>[]): CheckVerdict {
  if (criteria.some(({ verdict }) => verdict === 'fail')) return 'fail';
  return criteria.length > 0 && criteria.every(({ verdict }) => verdict === 'pass') ? 'pass' : 'unknown';
}

/** Counts the verdicts of a check. Rules that could not be judged are counted separately, and nothing is weighted. */
export function summarizeCheck(check: ModelCheck): CheckSummary {
  const { model, digest, probes_version, started_at, ended_at, probes, measured } = check;
  const count = (verdict: CheckVerdict) => probes.filter((probe) => probe.verdict === verdict).length;
  const criteria = probes.flatMap((probe) => probe.criteria);
  const axis = (name: CheckAxis): AxisScore => {
    const own = criteria.filter((criterion) => criterion.axis === name);
    const passed = own.filter(({ verdict }) => verdict === 'pass').length;
    const unknown = own.filter(({ verdict }) => verdict === 'unknown').length;
    return { passed, judged: own.length - unknown, unknown };
  };
  return {
    model,
    digest,
    probes_version,
    started_at,
    ended_at,
    passed: count('pass'),
    failed: count('fail'),
    unknown: count('unknown'),
    calls: measured.calls,
    layers: measured.layers,
    timed_tokens: measured.timed_tokens,
    eval_ms: measured.eval_ms,
    axes: { calls: axis('calls'), choice: axis('choice'), results: axis('results'), stops: axis('stops') },
  };
}
