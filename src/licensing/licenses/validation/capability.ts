import { capability } from '#kernel/capability.ts';
import { validationEndpoints } from './endpoints.ts';

export const validation = capability({ name: 'validation', endpoints: validationEndpoints });
