/** The menus of the shop for staff (storefront-api.md, AJ). */
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { get, type Menus, replace } from './navigation.ts';
import { MenusInput } from './schemas.ts';
import { targetsOf } from './targets.ts';
import { MenusView, menusView } from './view.ts';

const path = '/api/store/navigation';
const Reply = z.object({ data: MenusView });
// Unknown fields of a body are ignored (Z2).
const Body = z.object({ menus: MenusInput }).meta({ id: 'NavigationBody' });

const shown = async (ctx: Ctx, menus: Menus) => ok({ data: menusView(menus, await targetsOf(ctx)) });

export const navigationEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path,
    summary: 'Show the menus in the header and the footer of the shop',
    scope: 'settings:read',
    limit: null,
    replies: { 200: Reply },
    handle: async (ctx) => shown(ctx, await get(ctx)),
  }),
  endpoint({
    method: 'put',
    path,
    summary: 'Replace the menus; null for the automatic menu',
    scope: 'settings:write',
    limit: null,
    rehearsable: true,
    body: Body,
    replies: { 200: Reply },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body }) => shown(ctx, await replace(ctx, body.menus)),
  }),
];
