/**
 * Fills the families of runs that were stored before families existed: forks join their first ancestor, and all of them
 * that run's experiment.
 *
 * @param itemRunId SQL for the run of an experiment's item
 */
export function familyBackfill(itemRunId: string): readonly string[] {
  return [
    `with recursive tree (id, root) as (
         select id, coalesce(parent_id, id) from runs
           where parent_id is null or parent_id not in (select id from runs)
         union all
         select runs.id, tree.root from runs join tree on runs.parent_id = tree.id)
       update runs set family = tree.root from tree where tree.id = runs.id`,
    `with items (run_id, experiment_id) as (select ${itemRunId}, experiment_id from experiment_items)
       update runs set family = items.experiment_id from items where items.run_id = runs.family`,
  ];
}

/** Folders that Loupe created for a run are not a person's. */
export const OWN_FOLDERS = `update runs set folder = null where folder like '%/workspaces/%'`;
