// What the page's code is read for beside its types: ESLint's and Svelte's own
// recommended rules. prettier decides how it looks, svelte-check whether its
// names exist.
import js from '@eslint/js'
import prettier from 'eslint-config-prettier'
import svelte from 'eslint-plugin-svelte'
import ts from 'typescript-eslint'

export default ts.config(
  { ignores: ['dist/', '.svelte-check/', 'src/client/*.gen.ts'] },
  js.configs.recommended,
  ts.configs.recommended,
  svelte.configs.recommended,
  prettier,
  svelte.configs.prettier,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser } },
  },
  {
    rules: {
      'max-len': [
        'error',
        {
          code: 120, // as prettier's, which leaves comments alone
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
          ignorePattern: '^\\s*(d="|test\\(|<!-- svelte-ignore)', // paths of pictures, names of tests, what is one line
        },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { args: 'all', argsIgnorePattern: '^_', varsIgnorePattern: '^_$', destructuredArrayIgnorePattern: '^_$' },
      ],
      'no-unused-private-class-members': 'off', // it does not know ??=
      'no-undef': 'off', // svelte-check knows the names
      'svelte/no-unused-svelte-ignore': 'off', // svelte-check reports them, and knows the warnings of types
      'svelte/no-useless-mustaches': 'off', // {' '} keeps a space that prettier might break a line at
      'svelte/prefer-writable-derived': 'off', // where an input writes, too, an effect says when it is overwritten
      'svelte/prefer-svelte-reactivity': 'off', // a Map beside the state is meant: nothing on screen follows it
    },
  },
)
