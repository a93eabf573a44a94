/** All pictures anew: for staff and their programs, and as a page. */

import { z } from 'zod';
import { type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { count } from '#kernel/http/fields.ts';
import { goTo, page, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { progressOf, TaskProgress } from '#platform/jobs/index.ts';
import { type RebuildState, rebuildState, startRebuild } from '#platform/media/index.ts';
import { PANEL } from '#platform/panel/index.ts';

/** How far the sizes of all pictures are. */
const MediaRebuildView = later(() =>
  z
    .object({
      pictures: count(),
      /** Their sizes are yet to be made; the old ones are shown until then. */
      processing: count(),
      failed: count(),
      /** The task that marks the pictures. */
      task: TaskProgress.nullable(),
    })
    .meta({ id: 'MediaRebuild' }),
);

const shown = ({ task, ...counts }: RebuildState): z.output<typeof MediaRebuildView> => ({
  ...counts,
  task: progressOf(task),
});

export const rebuildEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/api/store/media/rebuild',
    summary: 'Rebuild the sizes of all pictures',
    scope: 'media:write',
    orScope: 'products:write',
    limit: null,
    rehearsable: true,
    replies: { 202: z.object({ data: MediaRebuildView }) },
    errors: ['CONFLICT'],
    handle: async (ctx) => ({ status: 202, body: { data: shown(await startRebuild(ctx)) } }),
  }),
];

/** Asks before it does so, and shows how far it is. */
export const rebuildPage = page({
  path: '/store/media/rebuild',
  title: 'Rebuild all sizes',
  audience: { staff: 'media:write' },
  layout: PANEL,
  help: 'open-a-shop',
  form: z.object({}),
  show: async (ctx) => show('store/media-rebuild', { state: shown(await rebuildState(ctx)) }),
  async submit(ctx) {
    await startRebuild(ctx);
    return goTo('/store/media/rebuild');
  },
});
