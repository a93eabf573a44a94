import { testPage } from './run-page.ts';

testPage('set-policies');
