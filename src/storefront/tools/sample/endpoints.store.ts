/** Sample data for staff and their programs (issue 15, item 8). */
import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { start, state } from './sample.ts';
import { SampleRemovedView, SampleView } from './view.ts';

export const sampleEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/store/sample',
    summary: 'Show what of the sample data is in the shop',
    scope: 'products:read',
    limit: null,
    replies: { 200: z.object({ data: SampleView }) },
    errors: [],
    handle: async (ctx) => ok({ data: await state(ctx) }),
  }),
  endpoint({
    method: 'post',
    path: '/api/store/sample/load',
    summary: 'Load sample data into the shop',
    scope: 'products:write',
    limit: null,
    rehearsable: true,
    replies: { 202: z.object({ data: SampleView }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx) => ({ status: 202, body: { data: await start(ctx) } }),
  }),
  endpoint({
    method: 'post',
    path: '/api/store/sample/remove',
    summary: 'Remove the sample data that nobody has changed since it was loaded',
    scope: 'products:write',
    limit: null,
    rehearsable: true,
    replies: { 200: z.object({ data: SampleRemovedView }) },
    errors: [],
    handle: async (ctx) => ok({ data: await (await import('./remove.ts')).remove(ctx) }),
  }),
];
