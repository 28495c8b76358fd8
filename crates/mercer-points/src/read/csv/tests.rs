use std::collections::BTreeMap;

use proptest::prelude::*;

use super::read;
use crate::read::{Format, Kind, Missing, ReadError, ReadOptions};
use crate::{ColumnData, Points, Table};

fn csv(text: &str) -> Result<Table, ReadError> {
    read(text, Format::Csv, "f.csv", &ReadOptions::default())
}

fn message(text: &str) -> String {
    csv(text).unwrap_err().to_string()
}

fn column<'a>(table: &'a Table, name: &str) -> &'a ColumnData {
    &table.column(name).unwrap().data
}

fn numbers(values: &[f64]) -> ColumnData {
    ColumnData::Numbers(values.to_vec())
}

/// Lines `1`, `2`, … `n` under a header `x,y`, each followed by `y`.
fn many(n: usize, y: &str) -> String {
    let rows: String = (1..=n).map(|i| format!("{i},{y}\n")).collect();
    format!("x,y\n{rows}")
}

#[test]
fn numbers_categories_and_texts() {
    let table = csv("age,sex,name,label\n38,f,Laina,yes\n26,m,Owen,no\n35,f,Lily,yes\n").unwrap();
    assert_eq!(column(&table, "age"), &numbers(&[38.0, 26.0, 35.0]));
    assert_eq!(column(&table, "sex").kind(), "categories");
    assert_eq!(column(&table, "name").kind(), "texts");
    assert_eq!(column(&table, "label").kind(), "categories");
    let names: Vec<&str> = table.columns().iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["age", "sex", "name", "label"]);
}

#[test]
fn line_ends_quotes_and_newlines_in_cells() {
    let table = csv("a,t\r\n1,\"x\r\ny\"\r\n\r\n2,\"say \"\"hi\"\", twice\"\r\n").unwrap();
    assert_eq!(column(&table, "a"), &numbers(&[1.0, 2.0]));
    let ColumnData::Texts(texts) = column(&table, "t") else { panic!() };
    assert_eq!((texts.point(0), texts.point(1)), ("x\r\ny", "say \"hi\", twice"));
}

#[test]
fn without_a_header_columns_are_numbered() {
    let table = csv("5.1;setosa\n4.9;setosa\n").unwrap();
    assert_eq!(column(&table, "c1"), &numbers(&[5.1, 4.9]));
    assert_eq!(column(&table, "c2").kind(), "categories");
}

#[test]
fn spaces_and_delimiters_at_the_ends_of_lines() {
    let table = csv("  1   2.5\n  3   4.5\n").unwrap();
    assert_eq!(column(&table, "c2"), &numbers(&[2.5, 4.5]));
    let table = csv("a,b,\n1,2,\n3,4,\n").unwrap();
    assert_eq!(table.columns().len(), 2);
    let table = csv("1,2\n   \n3,4\n").unwrap();
    assert_eq!(table.len(), 2);
}

#[test]
fn long_values_many_values_and_targets() {
    let rows: String = (0..30).map(|i| format!("{i},w{i}\n")).collect();
    let table = csv(&format!("x,word\n{rows}{rows}")).unwrap();
    assert_eq!(column(&table, "word").kind(), "texts", "30 different values in 60 rows are too many");
    let table = csv(&format!("x,label\n{rows}{rows}")).unwrap();
    assert_eq!(column(&table, "label").kind(), "categories", "a target is never a text");
    let long = "acgt".repeat(20);
    let table = csv(&format!("x,dna\n1,{long}\n2,{long}\n")).unwrap();
    assert_eq!(column(&table, "dna").kind(), "texts");
}

#[test]
fn labels_plus_and_minus_are_categories() {
    let table = csv("label,x\n+,1\n-,2\n").unwrap();
    let ColumnData::Categories(labels) = column(&table, "label") else { panic!() };
    assert_eq!(labels.levels(), &["+", "-"]);
    let table = csv("label,x\n-,1\n-,2\n").unwrap();
    assert_eq!(column(&table, "label").kind(), "categories");
}

#[test]
fn kinds_can_be_said() {
    let kinds = BTreeMap::from([("zip".to_owned(), Kind::Categories), ("t".to_owned(), Kind::Texts)]);
    let options = ReadOptions { kinds, ..ReadOptions::default() };
    let table = read("zip,t\n8001,a\n8002,a\n", Format::Csv, "f", &options).unwrap();
    assert_eq!(column(&table, "zip").kind(), "categories");
    assert_eq!(column(&table, "t").kind(), "texts");
    let error = read("zap,t\n8001,a\n", Format::Csv, "f", &options).unwrap_err().to_string();
    assert_eq!(error, "f: no column 'zip'; did you mean 'zap'?");
    let kinds = BTreeMap::from([("x".to_owned(), Kind::Numbers)]);
    let options = ReadOptions { kinds, ..ReadOptions::default() };
    let error = read("x,y\n1,2\na,3\n", Format::Csv, "f", &options).unwrap_err().to_string();
    assert!(error.starts_with("f, line 3, column 'x': 'a' is not a number, but 1 other"), "{error}");
}

#[test]
fn missing_values_follow_the_policy() {
    let text = "a,b\n1,2\nNA,3\n5,?\n6,4\n";
    assert_eq!(
        message(text),
        "f.csv, line 3, column 'a': the value is missing; drop such rows (--missing drop) or fill them \
         with the mean (--missing mean)"
    );
    let with = |missing, target: Option<&str>| {
        let target = target.map(str::to_owned);
        read(text, Format::Csv, "f", &ReadOptions { missing, target, ..ReadOptions::default() })
    };
    let dropped = with(Missing::Drop, None).unwrap();
    assert_eq!(column(&dropped, "b"), &numbers(&[2.0, 4.0]));
    let filled = with(Missing::Mean, None).unwrap();
    assert_eq!(column(&filled, "a"), &numbers(&[1.0, 4.0, 5.0, 6.0]));
    assert_eq!(column(&filled, "b"), &numbers(&[2.0, 3.0, 3.0, 4.0]));
    assert!(matches!(with(Missing::Mean, Some("b")), Err(ReadError::MissingTarget { .. })));
}

#[test]
fn an_unknown_target_is_missing_but_an_unknown_category_is_a_value() {
    let text = "c,x,label\nu,1,yes\n,2,no\nv,3,\nv,4,yes\n";
    let error = message(text);
    assert!(error.starts_with("f.csv, line 4, column 'label': the value is missing"), "{error}");
    let drop = ReadOptions { missing: Missing::Drop, ..ReadOptions::default() };
    let table = read(text, Format::Csv, "f", &drop).unwrap();
    assert_eq!(table.len(), 3);
    let ColumnData::Categories(c) = column(&table, "c") else { panic!("{}", column(&table, "c").kind()) };
    assert_eq!(c.point(1), "");
}

#[test]
fn infinite_numbers_are_errors_with_their_place() {
    for cell in ["inf", "-Infinity", "1e999"] {
        let error = message(&format!("a,b\n1,2\n3,{cell}\n"));
        let expected = format!("f.csv, line 3, column 'b': '{cell}' is not a finite number; correct it");
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn decimal_commas_are_errors_with_a_hint() {
    let error = message("a;b\n1,5;2\n2;3\n");
    assert_eq!(
        error,
        "f.csv, line 2, column 'a': '1,5' has a comma; use a point as decimal mark and nothing between \
         thousands"
    );
    assert!(message("a,b\n1,\"1.234,5\"\n2,\"3,5\"\n").contains("line 2, column 'b': '1.234,5' has a comma"));
    assert!(csv("a,b\n1,\"1,2,3\"\n2,\"1,2\"\n").is_ok(), "lists are texts");
}

#[test]
fn a_word_among_numbers_is_an_error() {
    let error = message(&format!("{}12o,1\n", many(10, "1")));
    assert_eq!(
        error,
        "f.csv, line 12, column 'x': '12o' is not a number, but 10 other cells of the column are; correct \
         it, or leave it empty if it is missing"
    );
    assert!(csv("x,y\n1,1\nb,2\n3,3\n").is_ok(), "too few to be sure");
    let error = message("id,7\n1,2\n2,3\n");
    assert!(error.contains("line 1, column 'c1': 'id' is not a number"), "{error}");
    assert!(error.ends_with("say that line 1 is a header"), "{error}");
}

#[test]
fn ragged_rows_name_the_line_and_both_counts() {
    let error = message("a,b,c\n1,2,3\n\"4\n5\",6,7\n8,9\n");
    assert!(error.starts_with("f.csv, line 5: 2 cells, but the first row has 3; is ',' the"), "{error}");
    assert!(message("a,b\n1,2\n1,2,3\n").contains("line 3: 3 cells, but the first row has 2"));
}

#[test]
fn open_quotes_twins_and_headers_alone() {
    assert!(message("a,b\n1,\"2\n3,4\n").starts_with("f.csv, line 2: a quote opens"));
    assert!(message("a,a\n1,2\n").contains("columns 1 and 2 are both called 'a'"));
    assert!(message("a,b\n").starts_with("'f.csv' has a header but no row"));
    assert!(message("a,b\n  \n").starts_with("'f.csv' has a header but no row"));
}

#[test]
fn a_very_long_cell_is_read_and_shown_in_short() {
    let long = "x".repeat(1 << 20);
    let table = csv(&format!("1,{long}\n2,y\n")).unwrap();
    assert_eq!(column(&table, "c2").kind(), "texts");
    assert!(message(&format!("{}{long},1\n", many(10, "1"))).len() < 300);
}

#[test]
fn texts_between_tabs_may_have_lone_quotes() {
    let table = read("ham\t\"Ok, he said\nspam\tFree\n", Format::Tsv, "f", &ReadOptions::default()).unwrap();
    assert_eq!(table.len(), 2);
}

#[test]
fn messages_are_of_one_line() {
    for text in ["\"a\nb\",\"a\nb\"\n1,2\n", "a,b\n1,\"\n", "\"x\ny\",b\ninf,1\n"] {
        assert!(!message(text).contains('\n'), "{text:?}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[a1,;\t \"\n\r.?é-]{0,60}", header: Option<bool>, policy in 0..3) {
        let missing = [Missing::Error, Missing::Drop, Missing::Mean][policy as usize];
        let options = ReadOptions { header, missing, ..ReadOptions::default() };
        if let Ok(table) = read(&text, Format::Csv, "f", &options) {
            for column in table.columns() {
                if let ColumnData::Numbers(values) = &column.data {
                    prop_assert!(values.iter().all(|v| v.is_finite()));
                }
            }
        }
    }

    #[test]
    fn numbers_are_read_exactly(values in prop::collection::vec(prop::num::f64::NORMAL, 2..20)) {
        let rows: String = values.iter().map(|v| format!("{v},{v:e}\n")).collect();
        let table = csv(&format!("a,b\n{rows}")).unwrap();
        prop_assert_eq!(column(&table, "a"), &ColumnData::Numbers(values.clone()));
        prop_assert_eq!(column(&table, "b"), &ColumnData::Numbers(values));
    }
}
