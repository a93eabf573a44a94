import type { AdminActivation } from '#licensing/licenses/machines/view.ts';
import { at, type Desk, type Query } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { type DeskPage, pageAsked } from '../paging.ts';
import { withMachines } from './twin.ts';
import { idAsked, machineColumns } from './view.ts';

/** `appctl license machines list ID`. */
export function listMachines(cli: Cli): Promise<void> {
  const id = idAsked(cli);
  return withMachines(cli, async (desk) => {
    const page = await desk.get<DeskPage<AdminActivation>>(at`licenses/${id}/activations`, pageAsked(cli));
    await cli.out.page(page, machineColumns);
  });
}

const MOST_AT_ONCE = 500;

/** All live machines of a license, the longest active first. */
export async function listedMachines(desk: Desk, id: string, query: Query = {}): Promise<AdminActivation[]> {
  const machines: AdminActivation[] = [];
  for (let page = 1; ; page++) {
    const asked = { ...query, page, limit: MOST_AT_ONCE };
    const { items, pagination } = await desk.get<DeskPage<AdminActivation>>(
      at`licenses/${id}/activations`,
      asked,
    );
    machines.push(...items);
    if (page >= pagination.totalPages) return machines;
  }
}
