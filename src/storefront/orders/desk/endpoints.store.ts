import type { Endpoint } from '#kernel/http/endpoint.ts';
import { refundResource } from './part-resources.ts';

/** Operations on refunds of an order, for commands. */
export const refundEndpoints: readonly Endpoint[] = refundResource.endpoints('store');
