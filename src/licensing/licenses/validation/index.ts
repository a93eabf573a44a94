import { capability } from '#kernel/capability.ts';
import { validationEndpoints } from './endpoints.ts';

export { ValidateBody, type ValidateInput } from './schemas.ts';
export { check, type Validation, validate } from './validation.ts';

export const validation = capability({ name: 'validation', endpoints: validationEndpoints });
