export { ValidateBody, type ValidateInput } from './schemas.ts';
export { check, type Validation, validate } from './validation.ts';
