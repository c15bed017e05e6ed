/**
 * Fills the outcome of runs that ended before it was stored, from the end of their logs. Two facts are read from the
 * text of an event, which both databases can do without a JSON parser: inside a string a quote is escaped, so
 * `"cut":true` is always the field. Whether the last text only announced work is unknown for these runs.
 */
export const OUTCOME_BACKFILL: readonly string[] = [
  `update runs set checks_failed = ${countInChecks('"passed":false')},
     checks_total = ${countInChecks('"passed":false')} + ${countInChecks('"passed":true')}
   where verification is not null`,
  `update runs set outcome = case
     when termination_reason <> 'final_answer' then termination_reason
     when mode = 'explore' then 'cycles_done'
     when (select body like '%"cut":true%' from events
             where run_id = runs.id and type = 'reply.parsed' order by seq desc limit 1) then 'answered_cut_off'
     when checks_failed > 0 then 'answered_checks_failed'
     else 'answered' end
   where termination_reason is not null`,
];

function countInChecks(field: string): string {
  return `(select (length(body) - length(replace(body, '${field}', ''))) / ${field.length} from events
            where run_id = runs.id and type = 'verification.checked' order by seq desc limit 1)`;
}
