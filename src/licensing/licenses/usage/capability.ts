import { capability } from '#kernel/capability.ts';
import { usageEndpoints } from './endpoints.ts';

export const usage = capability({ name: 'usage', endpoints: usageEndpoints });
