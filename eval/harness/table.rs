//! Tables in Markdown that are aligned for a terminal, too.

/// A table; its first column is text, the others are figures.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with a head.
    pub fn new(head: &[&str]) -> Table {
        Table { rows: vec![head.iter().map(|cell| (*cell).to_string()).collect()] }
    }

    /// Adds a row; it has as many cells as the head.
    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.rows[0].len());
        self.rows.push(cells.into_iter().map(|cell| cell.replace('|', "\\|")).collect());
    }

    /// The table as text.
    pub fn printed(&self) -> String {
        let width =
            |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.rows[0].len()).map(width).collect();
        let mut out = String::new();
        for (at, row) in self.rows.iter().enumerate() {
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                out.push_str(&match column {
                    0 => format!("| {cell:<width$} |"),
                    _ => format!(" {cell:>width$} |"),
                });
            }
            out.push('\n');
            if at == 0 {
                for (column, width) in widths.iter().enumerate() {
                    out.push_str(&match column {
                        0 => format!("|{}|", "-".repeat(width + 2)),
                        _ => format!("{}:|", "-".repeat(width + 1)),
                    });
                }
                out.push('\n');
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_stand_to_the_right() {
        let mut table = Table::new(&["tree", "n"]);
        table.row(vec!["a|b".to_string(), "1000".to_string()]);
        assert_eq!(table.printed(), "| tree |    n |\n|------|-----:|\n| a\\|b | 1000 |\n");
    }
}
