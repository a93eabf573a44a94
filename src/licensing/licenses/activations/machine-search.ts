import { matching } from '#kernel/db/selection/filter.ts';
import type { Search } from '#kernel/db/selection/spec.ts';

/** Finds activations `a` by the id of their machine, or by a part of its name. */
export const machineSearch: Search = {
  placeholder: 'Machine',
  by: (query, text) =>
    void query.where((any) => {
      any.where('a.machine_id', text);
      any.orWhere((named) => matching(named, 'a.machine_name', text, 'contains'));
    }),
};
