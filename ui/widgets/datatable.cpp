// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/datatable.h"

#include "ui/widgets/tableheader.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QSortFilterProxyModel>

#include <algorithm>

namespace lockstep::ui {

namespace {

class WordFilter : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setWords(const QStringList& words)
    {
        m_words = words;
        invalidateRowsFilter();
    }
    void setAccepts(std::function<bool(const QModelIndex&)> accepts)
    {
        m_accepts = std::move(accepts);
        invalidateRowsFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override
    {
        if (m_accepts && !m_accepts(sourceModel()->index(row, 0, parent)))
            return false;
        return std::ranges::all_of(m_words, [&](const QString& word) {
            for (int column = 0; column < sourceModel()->columnCount(parent); ++column)
                if (sourceModel()->index(row, column, parent).data().toString().contains(word, Qt::CaseInsensitive))
                    return true;
            return false;
        });
    }
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override
    {
        const QVariant a = left.data(kSortRole), b = right.data(kSortRole);
        if (a.typeId() == QMetaType::Double && b.typeId() == QMetaType::Double)
            return a.toDouble() < b.toDouble();
        return QString::localeAwareCompare((a.isValid() ? a : left.data()).toString(),
                                           (b.isValid() ? b : right.data()).toString()) < 0;
    }

private:
    QStringList m_words;
    std::function<bool(const QModelIndex&)> m_accepts;
};

} // namespace

DataTable::DataTable(Theme& theme, QAbstractItemModel& model, std::vector<ColumnWidth> columns, int rowHeightAt100,
                     QWidget* parent)
    : QTableView(parent), m_theme(theme), m_proxy(new WordFilter(this)), m_delegate(new CellDelegate(theme, this)),
      m_columns(std::move(columns))
{
    m_proxy->setSourceModel(&model);
    setModel(m_proxy);
    setItemDelegate(m_delegate);
    auto* header = new TableHeader(theme, this);
    setHorizontalHeader(header);
    header->setSectionsClickable(true);
    header->setSortIndicatorClearable(true); // a third click goes back to the model's own order
    header->setSortIndicator(-1, Qt::AscendingOrder);
    setSortingEnabled(true);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setMinimumSectionSize(1);
    verticalHeader()->setDefaultSectionSize(theme.px(rowHeightAt100));
    setShowGrid(false);
    setWordWrap(false);
    setFont(theme.font(FontRole::Cell));
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setFrameShape(QFrame::NoFrame);
    setMouseTracking(true);
    setTabKeyNavigation(false); // Tab leaves the table, arrows move in it
    connect(m_delegate, &CellDelegate::actionTriggered, this,
            [this](const QModelIndex& shown) { emit actionTriggered(sourceIndex(shown)); });
    // Not `activated`: some desktops send that for a single click.
    connect(this, &QAbstractItemView::doubleClicked, this,
            [this](const QModelIndex& shown) { emit rowActivated(sourceIndex(shown)); });
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &DataTable::selectedRowsChanged);
    connect(&theme, &Theme::changed, this, [this] { viewport()->update(); });
}

void DataTable::setFilter(const QString& text)
{
    static_cast<WordFilter*>(m_proxy)->setWords(text.split(QLatin1Char(' '), Qt::SkipEmptyParts));
}

void DataTable::setColumns(std::vector<ColumnWidth> columns)
{
    m_columns = std::move(columns);
    layoutColumns();
}

void DataTable::setRowFilter(std::function<bool(const QModelIndex&)> accepts)
{
    static_cast<WordFilter*>(m_proxy)->setAccepts(std::move(accepts));
}

QModelIndex DataTable::sourceIndex(const QModelIndex& shown) const
{
    return m_proxy->mapToSource(shown);
}

QModelIndex DataTable::shownIndex(const QModelIndex& source) const
{
    return m_proxy->mapFromSource(source);
}

QList<int> DataTable::selectedSourceRows() const
{
    QList<int> shown;
    for (const QModelIndex& index : selectionModel()->selectedRows())
        shown.append(index.row());
    std::ranges::sort(shown);
    QList<int> rows;
    for (const int row : shown)
        rows.append(sourceIndex(m_proxy->index(row, 0)).row());
    return rows;
}

QString DataTable::selectionAsText() const
{
    QStringList lines, header;
    for (int column = 0; column < m_proxy->columnCount(); ++column)
        header.append(m_proxy->headerData(column, Qt::Horizontal).toString());
    lines.append(header.join(QLatin1Char('\t')));
    for (int row = 0; row < m_proxy->rowCount(); ++row) {
        if (selectionModel()->hasSelection() && !selectionModel()->isRowSelected(row, {}))
            continue;
        QStringList cells;
        for (int column = 0; column < m_proxy->columnCount(); ++column)
            cells.append(m_proxy->index(row, column).data().toString());
        lines.append(cells.join(QLatin1Char('\t')));
    }
    return lines.join(QLatin1Char('\n'));
}

void DataTable::selectSourceRow(int row)
{
    const QModelIndex shown = shownIndex(m_proxy->sourceModel()->index(row, 0));
    if (!shown.isValid())
        return;
    selectRow(shown.row());
    scrollTo(shown);
}

int DataTable::heightOfRows(int rows) const
{
    return horizontalHeader()->height() + rows * verticalHeader()->defaultSectionSize();
}

void DataTable::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy)) {
        QGuiApplication::clipboard()->setText(selectionAsText());
        return;
    }
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && event->modifiers() == Qt::NoModifier &&
        currentIndex().isValid()) {
        emit rowActivated(sourceIndex(currentIndex()));
        return;
    }
    if (event->text() == QLatin1String("/")) { // the page's filter; not the table's own type-ahead
        event->ignore();
        return;
    }
    QTableView::keyPressEvent(event);
}

void DataTable::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    layoutColumns();
}

void DataTable::mouseMoveEvent(QMouseEvent* event)
{
    QTableView::mouseMoveEvent(event);
    const QModelIndex index = indexAt(event->position().toPoint());
    setHoverRow(index.row());
    QStyleOptionViewItem option;
    option.rect = visualRect(index);
    const bool overAction =
        index.isValid() && m_delegate->actionRect(option, index).contains(event->position().toPoint());
    viewport()->setCursor(overAction ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void DataTable::leaveEvent(QEvent* event)
{
    QTableView::leaveEvent(event);
    setHoverRow(-1);
}

void DataTable::layoutColumns()
{
    const int count = static_cast<int>(m_columns.size());
    const auto wanted = [&](int i) {
        const ColumnWidth& column = m_columns[static_cast<std::size_t>(i)];
        const QString title = model()->headerData(i, Qt::Horizontal).toString();
        const int text = std::max(m_theme.textWidth(FontRole::Cell, column.sample) + m_theme.px(column.extraAt100),
                                  m_theme.textWidth(FontRole::Cell, title));
        return text + m_theme.px(16 + (i == 0 ? 8 : 0) + (i == count - 1 ? 8 : 0)) + 1;
    };
    int total = 0, stretches = 0;
    for (int i = 0; i < count; ++i) {
        setColumnHidden(i, false);
        total += wanted(i);
    }
    for (int order = 9; order > 0 && total > viewport()->width(); --order)
        for (int i = 0; i < count; ++i)
            if (m_columns[static_cast<std::size_t>(i)].dropOrder == order && total > viewport()->width()) {
                setColumnHidden(i, true);
                total -= wanted(i);
            }
    for (int i = 0; i < count; ++i)
        if (!isColumnHidden(i))
            stretches += m_columns[static_cast<std::size_t>(i)].stretch;
    int left = std::max(viewport()->width() - total, 0);
    for (int i = 0; i < count; ++i) {
        const int stretch = isColumnHidden(i) ? 0 : m_columns[static_cast<std::size_t>(i)].stretch;
        const int share = stretch > 0 ? left * stretch / stretches : 0;
        left -= share;
        stretches -= stretch;
        if (!isColumnHidden(i))
            horizontalHeader()->resizeSection(i, wanted(i) + share);
    }
}

void DataTable::setHoverRow(int row)
{
    if (row == m_hoverRow)
        return;
    m_hoverRow = row;
    m_delegate->setHoverRow(row);
    viewport()->update();
}

} // namespace lockstep::ui
