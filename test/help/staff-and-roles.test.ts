import { testPage } from './run-page.ts';

testPage('staff-and-roles');
