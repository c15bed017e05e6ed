/** Counts the ended turns of sessions that were stored before their number was (`RunSummary.turns`). */
export const TURNS_BACKFILL = `
  update runs set turns = (select count(*) from events
                           where events.run_id = runs.id and events.type = 'turn.ended')
    where mode = 'session'`;
