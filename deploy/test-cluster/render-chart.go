// Renders the chart with Go's own templates, as Helm does, to hold scripts/chart against. What the templates see comes as JSON on stdin,
// what each file says goes as JSON to stdout. The functions are those of Helm and sprig that the chart uses.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"
)

func main() {
	var dot map[string]interface{}
	must(json.NewDecoder(os.Stdin).Decode(&dot))
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(template.FuncMap{
		"quote": func(value interface{}) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"toYaml": func(value interface{}) string {
			text, err := yaml.Marshal(value)
			must(err)
			return strings.TrimSuffix(string(text), "\n")
		},
		"nindent": func(width int, text string) string {
			pad := strings.Repeat(" ", width)
			return "\n" + pad + strings.Replace(text, "\n", "\n"+pad, -1)
		},
		"default": func(otherwise, value interface{}) interface{} {
			if truth, _ := template.IsTrue(value); truth {
				return value
			}
			return otherwise
		},
		"required": func(message string, value interface{}) (interface{}, error) {
			if value == nil || value == "" {
				return nil, errors.New(message)
			}
			return value, nil
		},
		"trimPrefix": func(prefix, value string) string { return strings.TrimPrefix(value, prefix) },
		"int":  func(value float64) int { return int(value) },
		"list": func(items ...interface{}) []interface{} { return items },
		"dict": func(pairs ...interface{}) map[string]interface{} {
			made := map[string]interface{}{}
			for at := 0; at+1 < len(pairs); at += 2 {
				made[fmt.Sprint(pairs[at])] = pairs[at+1]
			}
			return made
		},
		"include": func(name string, data interface{}) (string, error) {
			var text bytes.Buffer
			err := all.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
	})
	files, err := filepath.Glob(filepath.Join(os.Args[1], "templates", "*"))
	must(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(err)
		template.Must(all.New(filepath.Base(file)).Parse(string(text)))
	}
	said := map[string]string{}
	for _, file := range files {
		if name := filepath.Base(file); strings.HasSuffix(name, ".yaml") {
			var text bytes.Buffer
			must(all.ExecuteTemplate(&text, name, dot))
			said[name] = text.String()
		}
	}
	must(json.NewEncoder(os.Stdout).Encode(said))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
