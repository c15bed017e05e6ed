/** Events after which a run waits for the operator or the model server. */
const WAIT_STARTS = ['message.awaited', 'approval.requested', 'mcp-request.received', 'server-wait.started'];
/** Events before which a run waited, or no worker held it. */
const WAIT_ENDS = ['approval.decided', 'mcp-request.answered', 'server-wait.ended', 'run.resumed'];

/**
 * Fills the duration of runs that were stored before the duration was (`RunSummary.worked_ms`). The last budget check
 * has the working time until then; after it, or without one, the intervals between events count, except for waits.
 *
 * @param numberIn SQL that reads a numeric field of an event
 */
export function workedBackfill(numberIn: (field: string) => string): string {
  return `
    with started as (select run_id, max(seq) as seq from events where type = 'run.started' group by run_id),
         checked as (select events.run_id, max(events.seq) as seq from events
                       join started on started.run_id = events.run_id and events.seq > started.seq
                       where events.type = 'budget.checked' group by events.run_id),
         steps as (select events.run_id, events.type, events.at, events.body,
                          lag(events.type) over by_run as type_before, lag(events.at) over by_run as at_before
                     from events join started on started.run_id = events.run_id
                       left join checked on checked.run_id = events.run_id
                     where events.seq >= coalesce(checked.seq, started.seq)
                     window by_run as (partition by events.run_id order by events.seq)),
         worked as (select run_id, sum(case
                       when at_before is null and type = 'budget.checked' then 1000 * ${numberIn('seconds_used')}
                       when at_before is null or at < at_before then 0
                       when type_before in (${textsOf(WAIT_STARTS)}) or type in (${textsOf(WAIT_ENDS)}) then 0
                       when type = 'model.load-started' then at - at_before - coalesce(${numberIn('waited_ms')}, 0)
                       else at - at_before end) as ms
                     from steps group by run_id)
    update runs set worked_ms = round(case when worked.ms > 0 then worked.ms else 0 end)
      from worked where worked.run_id = runs.id and runs.started_at is not null`;
}

function textsOf(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}
